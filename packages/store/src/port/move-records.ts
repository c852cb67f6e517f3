import type { Conversation, Origin } from "@factotum/channel-contract";

/** The new address of a conversation, to be stored with the event that reports it. */
export interface NewMove {
  /** Without a thread: threads move with their conversation. */
  readonly to: Conversation;
  /** The key of the session that the new address would have by itself: if it has entries, in a thread or outside, that session stays. */
  readonly unlessSession?: string;
}

/** A conversation of an account that has a new address. */
export interface ConversationMove extends Pick<Origin, "channel" | "accountId"> {
  /** Without its thread. */
  readonly from: Conversation;
  readonly to: Conversation;
  /** The session of the old address continues at the new one. False if the new address had a session, or continues another conversation's already. */
  readonly isContinued: boolean;
  readonly movedAtMs: number;
}
