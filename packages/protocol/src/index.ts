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
export type { ChatEntry, ChatEvent, ChatOutcome, ChatSnapshot, ChatToolCall, LiveRun } from "./chat.ts";
export { SessionSummarySchema } from "./sessions.ts";
export type { SessionKind, SessionSummary } from "./sessions.ts";
export { GatewayStatusSchema } from "./status.ts";
export type { ChannelStatus, GatewayStatus } from "./status.ts";
export { isRpcMethod, RPC_EVENTS, RPC_METHODS } from "./methods.ts";
export type { AgentRunResult, RpcEvent, RpcEvents, RpcMethod, RpcMethods, RpcMethodSchemas, RunUsage } from "./methods.ts";
export type { WebchatDelivery, WebchatInput, WebchatSocket } from "./webchat.ts";
