export { ACCOUNT_STATE_LIMITS } from "./account-state.ts";
export type { AccountChange, AccountProgress, AccountRow, AccountRowOptions, AccountState, AccountValue } from "./account-state.ts";
export { OriginSchema } from "./origin.ts";
export type { Conversation, ConversationKind, Origin } from "./origin.ts";
export { MAX_REPLY_CONTEXT_BYTES, messageId, MsgContextSchema } from "./message.ts";
export type {
  AttachmentRef,
  EventMember,
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
export { TextOutboundSchema } from "./outbound.ts";
export type { Card, CardButton, Media, Outbound, Poll, SendReceipt } from "./outbound.ts";
export { ChannelError } from "./channel-error.ts";
export type { ChannelErrorCode, Retry } from "./channel-error.ts";
export type { ActionName, ChannelCapabilities } from "./capabilities.ts";
export type {
  ActionResult,
  CallOptions,
  Channel,
  ChannelAction,
  ChannelHealth,
  ChannelHost,
  Clock,
  Logger,
  Random,
  SendOptions,
} from "./channel.ts";
export type { ChannelExtension } from "./extension.ts";
