export {
  ClientFrameSchema,
  CLOSE_CODES,
  CONNECT_TIMEOUT_MS,
  MAX_FRAME_BYTES,
  MAX_UNAUTHENTICATED_FRAME_BYTES,
  PROTOCOL_VERSION,
  RpcErrorCodeSchema,
  ServerFrameSchema,
} from "./frames.ts";
export type {
  ClientFrame,
  ConnectFrame,
  EventFrame,
  HelloFrame,
  RefusedFrame,
  RequestFrame,
  ResponseFrame,
  RpcErrorBody,
  RpcErrorCode,
  ServerFrame,
} from "./frames.ts";
export { ChatEntrySchema, ChatEventSchema, ChatSnapshotSchema } from "./chat.ts";
export type { ChatEntry, ChatEvent, ChatFile, ChatOutcome, ChatSnapshot, ChatToolCall, ChatWait, LiveRun, NoticeBlock } from "./chat.ts";
export { ConfigReloadResultSchema } from "./config.ts";
export type { ConfigReloadResult } from "./config.ts";
export { CONTEXT_PART_TYPES, ContextReportSchema, ContextRequestSchema, ReplayDeltaSchema, ReplayResultSchema } from "./context.ts";
export type {
  ContextChange,
  ContextDiff,
  ContextImage,
  ContextOutcome,
  ContextPart,
  ContextPartType,
  ContextReport,
  ContextRequest,
  ContextSection,
  ContextSize,
  ContextTruncation,
  ReplayDelta,
  ReplayResult,
} from "./context.ts";
export { DeadLetterSchema } from "./dead-letters.ts";
export type { DeadLetter } from "./dead-letters.ts";
export { SessionImportReportSchema, SessionSummarySchema } from "./sessions.ts";
export type { SessionImportReport, SessionKind, SessionSummary } from "./sessions.ts";
export { GatewayStatusSchema } from "./status.ts";
export type { AgentStatus, BlockedConversation, ChannelStatus, GatewayStatus, RefusedSender, RestingModel } from "./status.ts";
export { DamageEventsSchema } from "./damage.ts";
export type { DamageEvent } from "./damage.ts";
export { GatewayWarningsSchema } from "./warnings.ts";
export type { GatewayWarning } from "./warnings.ts";
export { SetupCheckSchema, SetupStateSchema } from "./setup.ts";
export type { SetupCheck, SetupProvider, SetupState } from "./setup.ts";
export { RunUsageSchema } from "./usage.ts";
export type { RunUsage } from "./usage.ts";
export { isRpcMethod, RPC_METHODS } from "./methods.ts";
export type { RpcEvent, RpcEvents } from "./rpc-events.ts";
export { RPC_EVENTS } from "./rpc-events.ts";
export type { AgentRunResult } from "./agent-run.ts";
export type { RpcMethod, RpcMethods, RpcAccess, RpcMethodSchemas } from "./method-types.ts";
export { MAX_CHAT_ATTACHMENTS, MAX_UPLOAD_BYTES } from "./webchat.ts";
export type { ChatAttachment, WebchatDelivery, WebchatInput, WebchatSocket } from "./webchat.ts";
