/** One conversation of the assistant. */
export interface Conversation {
  /** Names it in the other calls. */
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly channel?: string;
  /** Time of the last message, in milliseconds since the epoch. */
  readonly activeAtMs: number;
}

/** One message of a conversation. */
export interface ConversationMessage {
  readonly id: string;
  readonly timestampMs: number;
  /** `gateway`: a notice, such as that a run failed. */
  readonly from: "person" | "assistant" | "gateway";
  /** The platform's name of the person. */
  readonly sender?: string;
  readonly text: string;
  /** Names of the files that came with it. */
  readonly files?: readonly string[];
}

/** The end of a run: the assistant's last text, and why it is incomplete or missing. */
export interface ConversationAnswer {
  readonly conversation: string;
  readonly text: string;
  /** Why the run failed or was stopped; absent if it was completed. */
  readonly problem?: string;
  /** What the person is told in addition, such as that another model answered. */
  readonly notices?: readonly string[];
}

/** A running gateway. Each method rejects with an error whose message says what to do. */
export interface Conversations {
  /** Newest activity first. */
  list(query: {
    readonly agent?: string | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly conversations: readonly Conversation[];
    /** For the next page; absent on the last one. */
    readonly cursor?: string;
  }>;
  /** Oldest first, the newest page if `before` is absent. */
  read(query: {
    readonly conversation: string;
    readonly limit: number;
    readonly before?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly messages: readonly ConversationMessage[];
    /** For the page before it; absent on the first one. */
    readonly before?: string;
  }>;
  /** Says something to the assistant as its owner, in the default agent's main conversation if none is named, and waits for the end of the run. */
  say(query: {
    readonly conversation?: string | undefined;
    readonly text: string;
    readonly signal: AbortSignal;
  }): Promise<ConversationAnswer>;
}
