export type { AnthropicApiVersion } from "./anthropic/api-versions.ts";
export { type CanonicalRequest, canonicalRequest, isPrefixOf, type PrefixReport, prefixReport } from "./anthropic/canonical-request.ts";
export type { AnthropicErrorBody, AnthropicErrorType } from "./anthropic/errors.ts";
export type { AnthropicModel } from "./anthropic/models.ts";
export { prepareReply } from "./anthropic/prepared-reply.ts";
export type { RecordedRequest } from "./anthropic/recorded-request.ts";
export {
  type AnthropicFault,
  type AnthropicReply,
  type AnthropicReplyBlock,
  type AnthropicStopReason,
  type AnthropicUsage,
  textReply,
  toolReply,
} from "./anthropic/reply.ts";
export type { AnthropicRule, Transport } from "./anthropic/rule.ts";
export { ANTHROPIC_RULES, checkAnthropicRequest, type CheckOptions } from "./anthropic/rules.ts";
export { sealThinking, signThinking } from "./anthropic/signature.ts";
export {
  type AnthropicResponder,
  type AnthropicServer,
  type AnthropicServerOptions,
  startAnthropicServer,
} from "./anthropic/start-anthropic-server.ts";
export { type CreateScriptConversation, createScriptConversation } from "./conversations/create-script.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { CapturedRequest, RequestOutcome } from "./server/captured-request.ts";
export { createGate, type Gate } from "./server/gate.ts";
export type { PreparedReply } from "./server/prepared-reply.ts";
export type { RuleViolation } from "./server/rule-violation.ts";
export type { StreamFault } from "./server/write-frames.ts";
