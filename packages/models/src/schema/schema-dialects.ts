import type { ModelApi } from "@factotum/agent-contract";

/** What one wire format takes of JSON Schema beyond what all take. */
export interface SchemaDialect {
  readonly toolName: RegExp;
  /** The names that a property may have; absent where every name is taken. */
  readonly propertyName?: RegExp;
  /** Keywords that are kept; absent where all are that mean the same in every draft. */
  readonly keywords?: ReadonlySet<string>;
  /** True where a list of values may only hold strings. */
  readonly stringEnums: boolean;
  /** The combinators; what is not here is merged (`allOf`) or becomes `anyOf` (`oneOf`). */
  readonly combinators: ReadonlySet<string>;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ALL = new Set(["anyOf", "oneOf", "allOf"]);

const COMMON: SchemaDialect = { toolName: TOOL_NAME, stringEnums: false, combinators: ALL };

/** Google documents the keywords that it reads; others fail the request or are ignored. */
const GOOGLE: SchemaDialect = {
  toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  keywords: new Set(
    "type format title description enum items minItems maxItems minimum maximum anyOf properties additionalProperties required".split(" "),
  ),
  stringEnums: true,
  combinators: new Set(["anyOf"]),
};

export const SCHEMA_DIALECTS: Readonly<Record<ModelApi, SchemaDialect>> = {
  "anthropic-messages": { ...COMMON, propertyName: /^[a-zA-Z0-9_.-]{1,64}$/ },
  "openai-responses": COMMON,
  "openai-chat": COMMON,
  "google-generative-ai": GOOGLE,
  mistral: COMMON,
  demo: COMMON,
};
