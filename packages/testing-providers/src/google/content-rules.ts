import { isBase64, readImage } from "../server/images.ts";
import { isJsonObject } from "../json.ts";
import { stringOf } from "../openai/read-body.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";
import type { ContentView, GoogleView, PartView } from "./google-view.ts";
import { isThoughtSignature } from "./signature.ts";

const DATA_FIELDS = ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"];
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const OTHER_TYPES = /^(?:audio|video|text)\/|^application\/pdf$/;

function allContents({ contents, system }: GoogleView): readonly ContentView[] {
  return system === undefined ? contents : [system, ...contents];
}

function allParts(view: GoogleView): readonly PartView[] {
  return allContents(view).flatMap(({ parts }) => parts);
}

interface Inline {
  readonly path: string;
  readonly mediaType: string;
  readonly data: string;
}

function inlineOf(view: GoogleView): readonly Inline[] {
  return allParts(view).flatMap(({ path, value: { inlineData } }) =>
    isJsonObject(inlineData) ? [{ path, mediaType: stringOf(inlineData["mimeType"]), data: stringOf(inlineData["data"]) }] : [],
  );
}

function say(message: string, param?: string): Finding {
  return { message, param };
}

/** Contents, parts and their order. */
export const CONTENT_RULES: readonly WireRule<GoogleView>[] = [
  bodyRule<GoogleView>({
    id: "contents-empty",
    description: "There is at least one content.",
    vendorText: "* GenerateContentRequest.contents: contents is not specified",
    check: ({ contents }) => (contents.length === 0 ? say("* GenerateContentRequest.contents: contents is not specified\n") : undefined),
  }),
  bodyRule<GoogleView>({
    id: "parts-empty",
    description: "Every content has a part.",
    vendorText: "* GenerateContentRequest.contents[…].parts: contents.parts must not be empty.",
    check: (view) =>
      firstOf(allContents(view), ({ path, parts }) =>
        parts.length === 0 ? say(`* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`) : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "part-data",
    description: "Every part holds exactly one thing: text, a blob, a file, a call, a response. Empty text beside a signature counts.",
    vendorText: "* GenerateContentRequest.contents[…].parts[…].data: required oneof field 'data' must have one initialized field",
    check: (view) =>
      firstOf(allParts(view), ({ path, value }) => {
        const held = DATA_FIELDS.filter((field) => field in value);
        const bare = value["text"] === "" && value["thoughtSignature"] === undefined;
        return held.length === 1 && !bare
          ? undefined
          : say(`* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`);
      }),
  }),
  bodyRule<GoogleView>({
    id: "role",
    description: "A content is the user's or the model's; system text stands in systemInstruction.",
    vendorText: "Please use a valid role: user, model.",
    check: ({ contents }) =>
      contents.some(({ role }) => role !== "user" && role !== "model") ? say("Please use a valid role: user, model.") : undefined,
  }),
  bodyRule<GoogleView>({
    id: "alternation",
    description: "Turns of the user and of the model alternate; a turn of function responses is neither.",
    vendorText: "Please ensure that multiturn requests alternate between user and model.",
    check: ({ contents }) =>
      firstOf(contents.entries(), ([index, { kind }]) => {
        const before = contents[index - 1]?.kind;
        const modelTwice = kind === "model" && (before === "model" || before === "call");
        return (kind === "user" && before === "user") || modelTwice
          ? say("Please ensure that multiturn requests alternate between user and model.")
          : undefined;
      }),
  }),
  bodyRule<GoogleView>({
    id: "last-turn",
    description: "The conversation ends with the user or with function responses.",
    vendorText: "Requests ending with a model turn are not supported.",
    check: ({ contents }) => (contents.at(-1)?.kind === "model" ? say("Requests ending with a model turn are not supported.") : undefined),
  }),
  bodyRule<GoogleView>({
    id: "call-turn",
    description: "Calls are the model's and come directly after a turn of the user or of function responses.",
    vendorText: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    check: ({ contents }) =>
      firstOf(contents.entries(), ([index, { kind, role }]) => {
        const before = contents[index - 1]?.kind;
        return kind === "call" && (role !== "model" || (before !== "user" && before !== "response"))
          ? say("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
          : undefined;
      }),
  }),
  bodyRule<GoogleView>({
    id: "response-turn",
    description: "Function responses come directly after the calls that they answer.",
    vendorText: "Please ensure that function response turn comes immediately after a function call turn.",
    check: ({ contents }) =>
      firstOf(contents.entries(), ([index, { kind, role }]) =>
        kind === "response" && (role === "model" || contents[index - 1]?.kind !== "call")
          ? say("Please ensure that function response turn comes immediately after a function call turn.")
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "response-count",
    description: "A turn of calls is answered by one turn with as many responses.",
    vendorText:
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    check: ({ contents }) =>
      firstOf(contents.entries(), ([index, { kind, calls }]) => {
        const next = contents[index + 1];
        return kind === "call" && (next === undefined || next.responses.length !== calls.length)
          ? say(
              "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
            )
          : undefined;
      }),
  }),
  bodyRule<GoogleView>({
    id: "function-name-empty",
    description: "Calls and responses name their function.",
    vendorText: "* GenerateContentRequest.contents[…].parts[…].function_response.name: Name cannot be empty.",
    check: (view) =>
      firstOf(allParts(view), ({ path, call, response }) => {
        const kind = call === undefined ? "function_response" : "function_call";
        const named = call ?? response;
        return named !== undefined && stringOf(named["name"]) === ""
          ? say(`* GenerateContentRequest.${path}.${kind}.name: Name cannot be empty.\n`)
          : undefined;
      }),
  }),
  bodyRule<GoogleView>({
    id: "signature-missing",
    description: "In the turn that is under way, the first call of every step has its thought's signature (Gemini 3).",
    vendorText: "Function call is missing a thought_signature in functionCall parts. …",
    check: ({ contents, model }) => {
      if (model?.signsCalls !== true) return undefined;
      const begin = contents.findLastIndex(({ kind }) => kind === "user");
      return firstOf(contents.slice(begin + 1), ({ calls: [first] }) =>
        first !== undefined && first.value["thoughtSignature"] === undefined
          ? say(
              `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`${stringOf(first.call?.["name"])}\` at ${first.path}.`,
            )
          : undefined,
      );
    },
  }),
  bodyRule<GoogleView>({
    id: "signature-base64",
    description: "A signature is base64.",
    vendorText: "Invalid value at 'contents[…].parts[…].thought_signature' (TYPE_BYTES), Base64 decoding failed for …",
    check: (view) =>
      firstOf(allParts(view), ({ path, value: { thoughtSignature } }) =>
        typeof thoughtSignature === "string" && !isBase64(thoughtSignature)
          ? say(`Invalid value at '${path}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${thoughtSignature}"`, path)
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "signature-valid",
    description: "A signature is one that the vendor made.",
    vendorText: "Thought signature is not valid",
    check: (view) =>
      firstOf(allParts(view), ({ value: { thoughtSignature: signature } }) =>
        typeof signature === "string" && isBase64(signature) && !isThoughtSignature(signature)
          ? say("Unable to submit request because Thought signature is not valid")
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "blob-base64",
    description: "Inline data is base64.",
    vendorText: "Invalid value at 'contents[…].parts[…].inline_data.data' (TYPE_BYTES), Base64 decoding failed for …",
    check: (view) =>
      firstOf(inlineOf(view), ({ path, data }) =>
        isBase64(data)
          ? undefined
          : say(`Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "${data.slice(0, 40)}"`, path),
      ),
  }),
  bodyRule<GoogleView>({
    id: "blob-type",
    description: "Inline data is of a kind that the model reads.",
    vendorText: "Unsupported MIME type: …",
    check: (view) =>
      firstOf(inlineOf(view), ({ mediaType }) =>
        IMAGE_TYPES.includes(mediaType) || OTHER_TYPES.test(mediaType) ? undefined : say(`Unsupported MIME type: ${mediaType}`),
      ),
  }),
  bodyRule<GoogleView>({
    id: "image-readable",
    description: "An image can be read.",
    vendorText: "Unable to process input image. …",
    check: (view) =>
      firstOf(inlineOf(view), ({ mediaType, data }) =>
        ["image/png", "image/jpeg", "image/webp"].includes(mediaType) && isBase64(data) && readImage(data) === undefined
          ? say("Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")
          : undefined,
      ),
  }),
];
