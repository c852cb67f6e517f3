export type { AnthropicApiVersion } from "./anthropic/api-versions.ts";
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
export type { MediaReply, MediaRequest } from "./media/media-request.ts";
export { type MediaServer, type MediaWire, startMediaServer } from "./media/start-media-server.ts";
export { canonicalRequest, isPrefixOf, prefixReport } from "./strict/canonical-request.ts";
export type { CanonicalRequest, PrefixReport } from "./strict/prefix-report.ts";
export {
  callTools,
  type ErrorKind,
  writtenReply,
  type MessageReply,
  type ReplyBlock,
  type ReplyStop,
  type ReplyUsage,
  sayText,
  type ScriptedReply,
} from "./strict/scripted-reply.ts";
export type { StrictServer, StrictServerOptions } from "./strict/strict-server.ts";
export { startStrictServer, WIRE_FORMATS } from "./strict/start-strict-server.ts";
export type { WireFormatName } from "./strict/wire.ts";
export type { Finding, Transport as WireTransport, WireRule } from "./strict/rule.ts";
export type { OpenAiModel } from "./openai/models.ts";
export { COMPATIBLE_CHAT_RULES, OPENAI_CHAT_RULES } from "./openai-chat/chat-rules.ts";
export {
  checkOpenAiChatRequest,
  type OpenAiChatOptions,
  type OpenAiChatServerOptions,
  startOpenAiChatServer,
} from "./openai-chat/start-openai-chat-server.ts";
export { OPENAI_RESPONSES_RULES } from "./openai-responses/responses-rules.ts";
export {
  checkOpenAiResponsesRequest,
  type OpenAiResponsesOptions,
  type OpenAiResponsesServerOptions,
  startOpenAiResponsesServer,
} from "./openai-responses/start-openai-responses-server.ts";
export type { GoogleModel } from "./google/models.ts";
export {
  checkGoogleRequest,
  GOOGLE_RULES,
  type GoogleOptions,
  type GoogleServerOptions,
  startGoogleServer,
} from "./google/start-google-server.ts";
export type { MistralModel } from "./mistral/models.ts";
export { MISTRAL_RULES } from "./mistral/mistral-rules.ts";
export { checkMistralRequest, type MistralOptions, type MistralServerOptions, startMistralServer } from "./mistral/start-mistral-server.ts";
export { hostileText, type HostileTextOptions } from "./effective-prompt/hostile-text.ts";
export {
  type EffectivePromptPart,
  EffectivePromptSyntaxError,
  type ParsedEffectivePrompt,
  parseEffectivePrompt,
} from "./effective-prompt/parse-effective-prompt.ts";
export { startAimock } from "./aimock/start-aimock.ts";
export { checkMistralSchema } from "./official/check-mistral-schema.ts";
export { checkOfficialRequests } from "./official/check-official-requests.ts";
export { checkOfficialTypes, type OfficialComplaint, type OfficialSubject } from "./official/check-official-types.ts";
export { FakeIssuer } from "./guarded-mcp/fake-issuer.ts";
export { GuardedMcpServer } from "./guarded-mcp/guarded-mcp-server.ts";
export { type ListingServer, type ListingServerOptions, startListingServer } from "./listing/start-listing-server.ts";
