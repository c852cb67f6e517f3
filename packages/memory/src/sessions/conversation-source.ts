/** A conversation that may be searched. */
export interface SearchableConversation {
  readonly sessionId: string;
  readonly lastEntryId: string;
  /** The time of its last entry, in milliseconds since the epoch. */
  readonly activeAtMs: number;
  /** Its requests contain what was said from this entry on; absent: all of it. */
  readonly inContextFrom?: string;
  /** Others may write in it. Otherwise it is no longer searched once one has. */
  readonly isShared: boolean;
}

/** Something that was said. */
export interface SaidEntry {
  /** Sorts in the order of the conversation. */
  readonly id: string;
  readonly atMs: number;
  readonly by: "owner" | "assistant" | "other";
  /** Without secrets. Empty: there is nothing to find. */
  readonly text: string;
  /** It is text of others, or brought some to the assistant (R23). */
  readonly untrusted: boolean;
}

/** What was said to an agent, and by it. */
export interface ConversationSource {
  /** The conversations that may be searched now. */
  list(agentId: string, options: { readonly signal: AbortSignal }): Promise<readonly SearchableConversation[]>;
  /** Whether a search may find anything that requests do not contain anyway: a conversation has ended. */
  hasEnded(agentId: string, options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** What was said after an entry, or from an entry on; everything without one. Oldest first, read little by little. */
  read(sessionId: string, options: { readonly from?: string; readonly after?: string }): AsyncIterable<SaidEntry>;
}
