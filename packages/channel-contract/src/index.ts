export { ACCOUNT_STATE_LIMITS } from "./account-state.ts";
export type { AccountChange, AccountProgress, AccountRow, AccountRowOptions, AccountState, AccountValue } from "./account-state.ts";
export { ConversationSchema, OriginSchema } from "./origin.ts";
export type { Conversation, ConversationKind, Origin } from "./origin.ts";
export { MAX_REPLY_CONTEXT_BYTES, messageId, MsgContextSchema } from "./message.ts";
export type {
  AttachmentRef,
  EventMember,
  EventType,
  ForwardedMessage,
  HistoryMessage,
  InboundEvent,
  Markdown,
  MediaKind,
  MessageContext,
  MessageId,
  MsgContext,
  NativeCommand,
  Mention,
  QuotedMessage,
  ReplyContext,
  Sender,
  ThreadContext,
  UntrustedNote,
} from "./message.ts";
export { CardSchema, PollSchema } from "./outbound.ts";
export type { Audience, Card, CardButton, CardInput, Media, Outbound, Poll, SendReceipt } from "./outbound.ts";
export { ChannelError } from "./channel-error.ts";
export type { ChannelErrorCode, Retry } from "./channel-error.ts";
export { ACTIONS } from "./actions.ts";
export type { ActionMessage, ActionName, ActionTypes } from "./actions.ts";
export type { ChannelCapabilities, ChannelLimits, InboundPath, OptionalPart } from "./capabilities.ts";
export type {
  ActionResult,
  CallOptions,
  Channel,
  ChannelAction,
  ChannelHealth,
  ChannelHost,
  Clock,
  DirectoryEntry,
  HostCommand,
  HostCommands,
  Logger,
  LoginStep,
  ProbeResult,
  Random,
  Reconciliation,
  SendOptions,
} from "./channel.ts";
export type { ChannelExtension } from "./extension.ts";
