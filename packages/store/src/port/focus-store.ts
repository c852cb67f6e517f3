import type { Origin } from "@factotum/channel-contract";

/** A conversation whose messages go to another session than its own, until it is released. */
export interface FocusRecord {
  /** The conversation, with its thread; of a direct one, also its person. */
  readonly key: string;
  readonly origin: Origin;
  /** The session that gets the messages, and its agent. */
  readonly sessionKey: string;
  readonly agentId: string;
  /** Of a direct conversation: whose messages. */
  readonly senderId?: string;
  /** The thread was created for this. */
  readonly isOwnThread?: true;
  readonly createdAtMs: number;
  /** The last message that went there, to within some minutes. */
  readonly usedAtMs: number;
}

/** Conversations that are focused on other sessions. */
export interface FocusStore {
  /** Adds one, or replaces that of its conversation. */
  putFocus(focus: FocusRecord): Promise<void>;
  /** Oldest first. A damaged one is left out and reported. */
  listFocuses(): Promise<readonly FocusRecord[]>;
  /** No-op for a conversation without one. */
  removeFocus(key: string): Promise<void>;
}
