import type { JsonObject } from "../json.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type AnthropicApiVersion, DEFAULT_API_VERSION } from "./api-versions.ts";
import type { AnthropicModel } from "./models.ts";
import { viewRequest } from "./request-view.ts";
import type { AnthropicRule, Transport } from "./rule.ts";
import { CACHE_RULES } from "./rules/cache-rules.ts";
import { FIELD_RULES } from "./rules/field-rules.ts";
import { IMAGE_RULES } from "./rules/image-rules.ts";
import { MESSAGE_RULES } from "./rules/message-rules.ts";
import { MODEL_RULES } from "./rules/model-rules.ts";
import { TOOL_CALL_RULES } from "./rules/tool-call-rules.ts";
import { TOOL_RULES } from "./rules/tool-rules.ts";
import { TRANSPORT_RULES } from "./rules/transport-rules.ts";

/** Every rule, by priority: a request that breaks several is answered with the first. */
export const ANTHROPIC_RULES: readonly AnthropicRule[] = [
  ...TRANSPORT_RULES,
  ...FIELD_RULES,
  ...MODEL_RULES,
  ...TOOL_RULES,
  ...MESSAGE_RULES,
  ...TOOL_CALL_RULES,
  ...CACHE_RULES,
  ...IMAGE_RULES,
];

/** The first broken transport rule; the vendor checks no further either. */
export function checkTransport(transport: Transport): readonly RuleViolation[] {
  for (const rule of TRANSPORT_RULES) {
    const message = rule.type === "transport" ? rule.check(transport) : undefined;
    if (message !== undefined) return [{ rule: rule.id, message }];
  }
  return [];
}

export interface CheckOptions {
  /** Additional models, by id; an entry replaces the built-in one. */
  readonly models?: Readonly<Record<string, AnthropicModel>>;
  /** Default `2023-06-01`. */
  readonly version?: AnthropicApiVersion;
}

/** Every rule that a request body breaks, in table order; empty for a valid body. Pure. */
export function checkAnthropicRequest(body: JsonObject, options: CheckOptions = {}): readonly RuleViolation[] {
  const view = viewRequest(body, options.models ?? {}, options.version ?? DEFAULT_API_VERSION);
  return ANTHROPIC_RULES.flatMap((rule) => {
    const message = rule.type === "body" ? rule.check(view) : undefined;
    return message === undefined ? [] : [{ rule: rule.id, message }];
  });
}

/** The rule of an id. */
export function findRule(id: string): AnthropicRule | undefined {
  return ANTHROPIC_RULES.find((rule) => rule.id === id);
}
