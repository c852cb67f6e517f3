import type { ModelApi } from "@factotum/agent-contract";

/** The JSON Schema features of one wire format beyond the common ones. */
export interface SchemaDialect {
  readonly toolName: RegExp;
  /** The allowed property names; absent if every name is accepted. */
  readonly propertyName?: RegExp;
  /** Keywords that are kept; absent if all are kept that mean the same in every draft. */
  readonly keywords?: ReadonlySet<string>;
  /** True if an enum may only hold strings. */
  readonly stringEnums: boolean;
  /** The supported combinators; others are merged (`allOf`) or become `anyOf` (`oneOf`). */
  readonly combinators: ReadonlySet<string>;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ALL = new Set(["anyOf", "oneOf", "allOf"]);

const COMMON: SchemaDialect = { toolName: TOOL_NAME, stringEnums: false, combinators: ALL };

/** The keywords that Google documents; others fail the request or are ignored. */
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
