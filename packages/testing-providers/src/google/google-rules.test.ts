import { expect } from "vitest";
import { type Edit } from "../../test/edit-body.ts";
import { ruleSuite } from "../../test/rule-suite.ts";
import { GOOGLE_PATH, GOOGLE_SAMPLE } from "../../test/samples.ts";
import { checkGoogleRequest, GOOGLE_RULES, startGoogleServer } from "../index.ts";

const FLASH = "/v1beta/models/gemini-2.5-flash:generateContent";
const PRO = "/v1beta/models/gemini-2.5-pro:generateContent";
const FN = "tools.0.functionDeclarations.0";
const PARAMS = `${FN}.parameters`;
const AT = "* GenerateContentRequest.tools[0].function_declarations[0]";
const NO_LEVEL: readonly Edit[] = [["remove", "generationConfig.thinkingConfig"]];

ruleSuite({
  rules: GOOGLE_RULES,
  start: () => startGoogleServer({ apiKey: "right" }),
  path: GOOGLE_PATH,
  headers: { "x-goog-api-key": "right" },
  sample: GOOGLE_SAMPLE,
  check: (body) => checkGoogleRequest("gemini-3-pro-preview", body),
  faults: [
    ["unknown-field", 'Unknown name "messages": Cannot find field.', [["set", "messages", []]]],
    [
      "unknown-field",
      "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
      [["set", `${PARAMS}.additionalProperties`, false]],
    ],
    ["unknown-field", 'Unknown name "const" at', [["set", `${PARAMS}.properties.path.const`, "."]]],
    ["unknown-field", "Unknown name \"content\" at 'contents[0]': Cannot find field.", [["set", "contents.0.content", "Hi"]]],
    [
      "list-unexpected",
      "Proto field is not repeating, cannot start list.",
      [["set", `${PARAMS}.properties.path.type`, ["string", "null"]]],
    ],
    ["field-type", "Invalid value at 'contents[0].parts[1].text' (TYPE_STRING), 5", [["set", "contents.0.parts.1.text", 5]]],
    ["field-type", "Invalid value at 'contents[1].parts[1].function_call.args'", [["set", "contents.1.parts.1.functionCall.args", "{}"]]],
    ["field-type", "Invalid value at 'generation_config.max_output_tokens'", [["set", "generationConfig.maxOutputTokens", "many"]]],
    [
      "field-value",
      "Invalid value at 'tools[0].function_declarations[0].parameters.properties.path.type'",
      [["set", `${PARAMS}.properties.path.type`, "text"]],
    ],
    [
      "field-value",
      "Invalid value at 'tool_config.function_calling_config.mode'",
      [["set", "toolConfig.functionCallingConfig.mode", "REQUIRED"]],
    ],
    [
      "max-output",
      "maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive)",
      [["set", "generationConfig.maxOutputTokens", 65_537]],
    ],
    ["temperature", "temperature must be in the range [0.0, 2.0]", [["set", "generationConfig.temperature", 2.1]]],
    ["stop-sequences", "at most 5 are allowed", [["set", "generationConfig.stopSequences", ["a", "b", "c", "d", "e", "f"]]]],
    [
      "thinking-both",
      "You can only set only one of thinking budget and thinking level.",
      [["set", "generationConfig.thinkingConfig.thinkingBudget", 100]],
    ],
    ["thinking-level", "Thinking level is not supported for this model.", [], FLASH],
    [
      "thinking-budget",
      "The thinking budget 99999 is invalid. Please choose a value between 1 and 24576.",
      [["set", "generationConfig.thinkingConfig", { thinkingBudget: 99_999 }]],
      FLASH,
    ],
    [
      "thinking-budget",
      "Budget 0 is invalid. This model only works in thinking mode.",
      [["set", "generationConfig.thinkingConfig", { thinkingBudget: 0 }]],
      PRO,
    ],
    [
      "prompt-length",
      "exceeds the maximum number of tokens allowed (1048576).",
      [["set", "contents.0.parts.1.text", "word ".repeat(850_000)]],
    ],
    ["function-name", `${AT}.name: Invalid function name.`, [["set", `${FN}.name`, "1ls"]]],
    ["function-name", `${AT}.name: Invalid function name.`, [["set", `${FN}.name`, "n".repeat(129)]]],
    ["function-duplicate", "Duplicate function declaration found: ls", [["set", "tools.0.functionDeclarations.1.name", "ls"]]],
    ["schema-items", `${AT}.parameters.properties[skip].items: missing field.`, [["remove", `${PARAMS}.properties.skip.items`]]],
    [
      "schema-items",
      `${AT}.parameters.properties[skip].items.items: missing field.`,
      [["set", `${PARAMS}.properties.skip.items`, { type: "ARRAY" }]],
    ],
    [
      "schema-properties",
      "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties: should be non-empty for OBJECT type",
      [["set", "tools.0.functionDeclarations.1.parameters", { type: "object", properties: {} }]],
    ],
    [
      "schema-enum",
      `${AT}.parameters.properties[sort].enum: only allowed for STRING type`,
      [["set", `${PARAMS}.properties.sort.type`, "integer"]],
    ],
    ["schema-enum", "enum[1]: cannot be empty", [["set", `${PARAMS}.properties.sort.enum.1`, ""]]],
    ["schema-required", `${AT}.parameters.required[0]: property is not defined`, [["set", `${PARAMS}.required`, ["file"]]]],
    ["schema-format", "only 'enum' and 'date-time' are supported for STRING type", [["set", `${PARAMS}.properties.path.format`, "uri"]]],
    ["function-config", "Function calling config is set without function_declarations.", [["remove", "tools"]]],
    ["contents-empty", "contents is not specified", [["set", "contents", []]]],
    ["parts-empty", "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.", [["set", "contents.0.parts", []]]],
    [
      "part-data",
      "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized field",
      [["set", "contents.0.parts.1", { text: "" }]],
    ],
    ["part-data", "contents[1].parts[1].data: required oneof", [["set", "contents.1.parts.1.text", "and"]]],
    ["role", "Please use a valid role: user, model.", [["set", "contents.0.role", "system"]]],
    ["role", "Please use a valid role: user, model.", [["set", "contents.2.role", "function"]]],
    [
      "alternation",
      "multiturn requests alternate between user and model",
      [["insert", "contents.0", { role: "user", parts: [{ text: "Hi" }] }]],
    ],
    [
      "last-turn",
      "Requests ending with a model turn are not supported.",
      [["insert", "contents.3", { role: "model", parts: [{ text: "A file." }] }]],
    ],
    ["call-turn", "function call turn comes immediately after a user turn or after a function response turn", [["remove", "contents.0"]]],
    [
      "response-turn",
      "function response turn comes immediately after a function call turn",
      [["insert", "contents.3", { role: "user", parts: [{ functionResponse: { name: "ls", response: {} } }] }]],
    ],
    [
      "response-count",
      "number of function response parts is equal to the number of function call parts",
      [["remove", "contents.2.parts.1"]],
    ],
    [
      "function-name-empty",
      "contents[2].parts[0].function_response.name: Name cannot be empty.",
      [["set", "contents.2.parts.0.functionResponse.name", ""]],
    ],
    [
      "signature-missing",
      "Function call is missing a thought_signature in functionCall parts.",
      [["remove", "contents.1.parts.1.thoughtSignature"]],
    ],
    ["signature-base64", "(TYPE_BYTES), Base64 decoding failed", [["set", "contents.1.parts.1.thoughtSignature", "not base64!"]]],
    ["signature-valid", "Thought signature is not valid", [["set", "contents.1.parts.1.thoughtSignature", "c29tZW9uZSBlbHNl"]]],
    [
      "blob-base64",
      "inline_data.data' (TYPE_BYTES), Base64 decoding failed",
      [["set", "contents.0.parts.0.inlineData.data", "data:image/png;base64,AAAA"]],
    ],
    ["blob-type", "Unsupported MIME type: image/bmp", [["set", "contents.0.parts.0.inlineData.mimeType", "image/bmp"]]],
    ["image-readable", "Unable to process input image.", [["set", "contents.0.parts.0.inlineData.data", "AAAA"]]],
    [
      "parameters-both",
      "parameters_json_schema is mutually exclusive with parameters",
      [["set", `${FN}.parametersJsonSchema`, { type: "object" }]],
    ],
    [
      "json-schema",
      "the schema must be valid and describe an object",
      [["set", "tools.0.functionDeclarations.1.parametersJsonSchema", { type: "object", properties: { at: "noon" } }]],
    ],
    [
      "json-schema",
      "the schema must be valid and describe an object",
      [["set", "tools.0.functionDeclarations.1.parametersJsonSchema", { type: "string" }]],
    ],
  ],
  transport: [
    ["endpoint", 404, { path: "/models/gemini-3-pro-preview:generateContent" }],
    ["endpoint", 404, { path: "/v1beta/models/gemini-3-pro-preview:streamGenerateContent" }],
    ["request-bytes", 400, { body: `"${"x".repeat(20 * 1024 * 1024)}"` }],
    ["api-key-missing", 403, { headers: { "x-goog-api-key": undefined } }],
    ["api-key-invalid", 400, { headers: { "x-goog-api-key": "wrong" } }],
    ["api-key-invalid", 400, { headers: { "x-goog-api-key": undefined }, path: `${GOOGLE_PATH}&key=wrong` }],
    ["model-unknown", 404, { path: "/v1beta/models/gemini-nobody:generateContent" }],
    ["json", 400, { body: "[]" }],
  ],
  allowed: [
    ["a call without a signature, for an older model", [["remove", "contents.1.parts.1.thoughtSignature"], ...NO_LEVEL], FLASH],
    [
      "a call without a signature in a turn that is over",
      [
        ["remove", "contents.1.parts.1.thoughtSignature"],
        ["insert", "contents.3", { role: "user", parts: [{ text: "Stop." }] }],
      ],
    ],
    ["a user after function responses", [["insert", "contents.3", { role: "user", parts: [{ text: "Stop." }] }]]],
    ["a content without a role", [["remove", "contents.0.role"]]],
    [
      "what the subset lacks, as JSON Schema",
      [
        ["remove", PARAMS],
        ["set", `${FN}.parametersJsonSchema`, { type: "object", properties: { path: { const: "." } }, additionalProperties: false }],
      ],
    ],
    ["types in capitals", [["set", `${PARAMS}.properties.path.type`, "STRING"]]],
    [
      "empty text beside a signature",
      [
        [
          "insert",
          "contents.1.parts.3",
          {
            text: "",
            thoughtSignature:
              (GOOGLE_SAMPLE["contents"] as { parts: { thoughtSignature: string }[] }[])[1]?.parts[1]?.thoughtSignature ?? "",
          },
        ],
      ],
    ],
    ["a property that is called additionalProperties", [["set", `${PARAMS}.properties.additionalProperties`, { type: "string" }]]],
    ["thought that is turned off", [["set", "generationConfig.thinkingConfig", { thinkingBudget: 0 }]], FLASH],
  ],
  statusOf: () => 400,
  messageOf: (body) => {
    const { error } = body as { readonly error: { readonly code: number; readonly message: string; readonly status: string } };
    expect(error).toMatchObject({ code: expect.any(Number) as number, status: expect.stringMatching(/^[A-Z_]+$/) as string });
    return error.message;
  },
});
