import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { blocksOfType, type BlockView, messageBlocks, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";

const TOP_LEVEL = new Set([
  ..."model max_tokens messages system tools tool_choice stream stop_sequences metadata thinking cache_control".split(" "),
  ..."temperature top_p top_k service_tier inference_geo output_config container".split(" "),
]);

interface BlockShape {
  readonly required: Readonly<Record<string, "string" | "object" | "present">>;
  readonly optional: readonly string[];
  readonly roles: readonly string[];
}

/** The blocks that our clients send; the vendor has more. */
const BLOCKS: Readonly<Record<string, BlockShape>> = {
  text: { required: { text: "string" }, optional: ["cache_control", "citations"], roles: ["user", "assistant"] },
  image: { required: { source: "object" }, optional: ["cache_control"], roles: ["user"] },
  tool_use: { required: { id: "string", name: "string", input: "present" }, optional: ["cache_control", "caller"], roles: ["assistant"] },
  tool_result: { required: { tool_use_id: "string" }, optional: ["content", "is_error", "cache_control"], roles: ["user"] },
  thinking: { required: { thinking: "string", signature: "string" }, optional: [], roles: ["assistant"] },
  redacted_thinking: { required: { data: "string" }, optional: [], roles: ["assistant"] },
};
const TAGS = Object.keys(BLOCKS)
  .map((tag) => `'${tag}'`)
  .join(", ");

type Expectation = readonly [isRight: (value: JsonValue) => boolean, words: string];
const STRING: Expectation = [(value) => typeof value === "string", "a valid string"];
const NUMBER: Expectation = [(value) => typeof value === "number", "a valid number"];
const OBJECT: Expectation = [isJsonObject, "a valid dictionary"];
const CONTENT: Expectation = [
  (value) => typeof value === "string" || isListOf(value, isJsonObject),
  "a valid string or list of dictionaries",
];
const OBJECTS: Expectation = [(value) => isListOf(value, isJsonObject), "a valid list of dictionaries"];

const TYPES: Readonly<Record<string, Expectation>> = {
  model: STRING,
  max_tokens: [(value) => Number.isInteger(value), "a valid integer"],
  messages: OBJECTS,
  system: CONTENT,
  tools: OBJECTS,
  tool_choice: OBJECT,
  stream: [(value) => typeof value === "boolean", "a valid boolean"],
  stop_sequences: [(value) => isListOf(value, (item) => typeof item === "string"), "a valid list of strings"],
  metadata: OBJECT,
  thinking: OBJECT,
  temperature: NUMBER,
  top_p: NUMBER,
  top_k: NUMBER,
};

function isListOf(value: JsonValue, isItem: (item: JsonValue) => boolean): boolean {
  return isJsonArray(value) && value.every((item) => isItem(item));
}

function wrongType(view: RequestView): string | undefined {
  for (const [field, [isRight, words]] of Object.entries(TYPES)) {
    const value = view.body[field];
    if (value !== undefined && !isRight(value)) return `${field}: Input should be ${words}`;
  }
  for (const { path, value } of view.messages) {
    const content = value["content"];
    if (content !== undefined && !CONTENT[0](content)) return `${path}.content: Input should be ${CONTENT[1]}`;
  }
  for (const { path, value } of blocksOfType(view, "tool_result")) {
    const content = value["content"];
    if (content !== undefined && !CONTENT[0](content)) return `${path}.tool_result.content: Input should be ${CONTENT[1]}`;
  }
  return undefined;
}

function missingField(view: RequestView): string | undefined {
  for (const field of ["model", "messages"]) if (!(field in view.body)) return `${field}: Field required`;
  for (const { path, value } of view.messages) {
    for (const field of ["role", "content"]) if (!(field in value)) return `${path}.${field}: Field required`;
  }
  for (const block of [...view.system, ...messageBlocks(view)]) {
    for (const [field, kind] of Object.entries(BLOCKS[block.type]?.required ?? {})) {
      const value = block.value[field];
      if (value === undefined) return `${block.path}.${block.type}.${field}: Field required`;
      if (kind === "string" && typeof value !== "string") return `${block.path}.${block.type}.${field}: Input should be a valid string`;
      if (kind === "object" && !isJsonObject(value)) return `${block.path}.${block.type}.${field}: Input should be a valid dictionary`;
    }
  }
  return undefined;
}

function extraField(value: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(value).find((field) => !known.includes(field));
}

function unknownBlockField(block: BlockView): string | undefined {
  const shape = BLOCKS[block.type];
  if (shape === undefined) return undefined;
  const thinks = block.type.endsWith("thinking") ? ["cache_control"] : []; // has a rule of its own
  const extra = extraField(block.value, ["type", ...Object.keys(shape.required), ...shape.optional, ...thinks]);
  return extra === undefined ? undefined : `${block.path}.${block.type}.${extra}: Extra inputs are not permitted`;
}

/** The shape of the body: names, types, presence, types of blocks. */
export const FIELD_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "unknown-field",
    description: "The body has no field that the API does not know.",
    vendorText: "…: Extra inputs are not permitted",
    check: (view) => {
      const extra = Object.keys(view.body).find((field) => !TOP_LEVEL.has(field));
      return extra === undefined ? undefined : `${extra}: Extra inputs are not permitted`;
    },
  }),
  bodyRule({ id: "field-type", description: "Every field has its type.", vendorText: "…: Input should be a valid …", check: wrongType }),
  bodyRule({ id: "field-missing", description: "Required fields are there.", vendorText: "…: Field required", check: missingField }),
  bodyRule({
    id: "nested-unknown-field",
    description: "Messages and content blocks have no field that the API does not know.",
    vendorText: "messages.….…: Extra inputs are not permitted",
    check: (view) => {
      for (const { path, value } of view.messages) {
        const extra = extraField(value, ["role", "content"]);
        if (extra !== undefined) return `${path}.${extra}: Extra inputs are not permitted`;
      }
      return firstOf([...view.system, ...messageBlocks(view)], unknownBlockField);
    },
  }),
  bodyRule({
    id: "block-type",
    description: "Every content block is of a kind that the API knows (of those this server models).",
    vendorText: "…: Input tag '…' found using 'type' does not match any of the expected tags: …",
    check: (view) =>
      firstOf([...view.system, ...messageBlocks(view)], ({ path, type }) =>
        type in BLOCKS ? undefined : `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${TAGS}`,
      ),
  }),
  bodyRule({
    id: "block-role",
    description: "Calls and thinking are the assistant's; images and tool results are the user's; the system prompt is text.",
    vendorText: "messages.…: `tool_use` blocks can only be in `assistant` messages",
    check: (view) => {
      const image = view.system.find(({ type }) => type in BLOCKS && type !== "text");
      if (image !== undefined) return `${image.path}.type: Input should be 'text'`;
      for (const { path, role, blocks } of view.messages) {
        const misplaced = blocks.find(({ type }) => typeof role === "string" && BLOCKS[type]?.roles.includes(role) === false);
        const allowed = BLOCKS[misplaced?.type ?? ""]?.roles[0];
        const known = role === "user" || role === "assistant";
        if (misplaced !== undefined && known) return `${path}: \`${misplaced.type}\` blocks can only be in \`${allowed}\` messages`;
      }
      return undefined;
    },
  }),
];

/** The first message that a check yields. */
export function firstOf<T>(items: Iterable<T>, check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const message = check(item);
    if (message !== undefined) return message;
  }
  return undefined;
}
