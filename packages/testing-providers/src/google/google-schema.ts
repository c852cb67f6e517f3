import type { JsonObject, JsonValue } from "../json.ts";

/** Every message of the protocol is closed: unlisted fields are unknown. Nothing is required: the rules check presence. */
function message(properties: Readonly<Record<string, JsonValue>>): JsonObject {
  return { type: "object", properties, additionalProperties: false };
}

function list(items: JsonValue): JsonObject {
  return { type: "array", items };
}

const STRING = { type: "string" };
const NUMBER = { type: "number" };
const INTEGER = { type: ["integer", "string"], pattern: "^-?[0-9]+$" };
const BOOLEAN = { type: "boolean" };
const STRUCT = { type: "object" };
const ANYTHING = {};

const KINDS = ["string", "number", "integer", "boolean", "array", "object", "null"];

/** The vendor's subset of OpenAPI's schemas; it takes the names of types in capitals and in small letters. */
const SCHEMA: JsonObject = message({
  type: { enum: [...KINDS, ...KINDS.map((kind) => kind.toUpperCase()), "TYPE_UNSPECIFIED"] },
  format: STRING,
  title: STRING,
  description: STRING,
  nullable: BOOLEAN,
  enum: list(STRING),
  items: { $ref: "#/$defs/schema" },
  maxItems: INTEGER,
  minItems: INTEGER,
  properties: { type: "object", additionalProperties: { $ref: "#/$defs/schema" } },
  required: list(STRING),
  minProperties: INTEGER,
  maxProperties: INTEGER,
  minimum: NUMBER,
  maximum: NUMBER,
  minLength: INTEGER,
  maxLength: INTEGER,
  pattern: STRING,
  example: ANYTHING,
  anyOf: list({ $ref: "#/$defs/schema" }),
  propertyOrdering: list(STRING),
  default: ANYTHING,
});

const BLOB = message({ mimeType: STRING, data: STRING, displayName: STRING });

const PART = message({
  text: STRING,
  thought: BOOLEAN,
  thoughtSignature: STRING,
  inlineData: BLOB,
  fileData: message({ mimeType: STRING, fileUri: STRING, displayName: STRING }),
  functionCall: message({ id: STRING, name: STRING, args: STRUCT }),
  functionResponse: message({
    id: STRING,
    name: STRING,
    response: STRUCT,
    parts: list(message({ inlineData: BLOB })),
    willContinue: BOOLEAN,
    scheduling: STRING,
  }),
  executableCode: STRUCT,
  codeExecutionResult: STRUCT,
  videoMetadata: STRUCT,
  mediaResolution: ANYTHING,
  partMetadata: STRUCT,
});

const CONTENT = message({ role: STRING, parts: list(PART) });

const DECLARATION = message({
  name: STRING,
  description: STRING,
  behavior: STRING,
  parameters: { $ref: "#/$defs/schema" },
  parametersJsonSchema: STRUCT,
  response: { $ref: "#/$defs/schema" },
  responseJsonSchema: STRUCT,
});

const GENERATION = message({
  stopSequences: list(STRING),
  responseMimeType: STRING,
  responseModalities: list(STRING),
  responseSchema: { $ref: "#/$defs/schema" },
  responseJsonSchema: STRUCT,
  candidateCount: INTEGER,
  maxOutputTokens: INTEGER,
  temperature: NUMBER,
  topP: NUMBER,
  topK: NUMBER,
  seed: INTEGER,
  presencePenalty: NUMBER,
  frequencyPenalty: NUMBER,
  responseLogprobs: BOOLEAN,
  logprobs: INTEGER,
  speechConfig: STRUCT,
  imageConfig: STRUCT,
  mediaResolution: STRING,
  thinkingConfig: message({
    includeThoughts: BOOLEAN,
    thinkingBudget: INTEGER,
    thinkingLevel: { enum: ["minimal", "low", "medium", "high", "MINIMAL", "LOW", "MEDIUM", "HIGH", "THINKING_LEVEL_UNSPECIFIED"] },
  }),
});

/** The endpoint's fields, in camel case (the vendor accepts snake case, too; our clients do not send it). */
export const GOOGLE_SCHEMA: JsonObject = {
  ...message({
    contents: list(CONTENT),
    systemInstruction: CONTENT,
    tools: list(message({ functionDeclarations: list(DECLARATION), googleSearch: STRUCT, codeExecution: STRUCT, urlContext: STRUCT })),
    toolConfig: message({
      functionCallingConfig: message({
        mode: { enum: ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED", "auto", "any", "none", "validated"] },
        allowedFunctionNames: list(STRING),
      }),
      retrievalConfig: STRUCT,
      includeServerSideToolInvocations: BOOLEAN,
    }),
    safetySettings: list(STRUCT),
    generationConfig: GENERATION,
    cachedContent: STRING,
    labels: STRUCT,
    serviceTier: STRING,
    store: BOOLEAN,
  }),
  $defs: { schema: SCHEMA },
};
