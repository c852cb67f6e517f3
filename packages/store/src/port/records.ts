import type {
  AgentMessage,
  CacheRetention,
  CompactionMessage,
  RunKind,
  SystemPrompt,
  ThinkingLevel,
  ToolSchema,
  Usage,
  UsageTotals,
} from "@factotum/agent-contract";
import type { MediaKind, MessageId, MsgContext, Origin, SendReceipt } from "@factotum/channel-contract";

/** An input that was accepted: one message of a person or one event of a platform. Kept until its terminal state is old enough to forget. */
export interface InputRecord {
  readonly id: string;
  readonly message: MsgContext;
  /** What the gateway knew when it took the input, and the platform did not say. */
  readonly admission: InputAdmission;
  readonly receivedAtMs: number;
  readonly state: InputState;
  /** The turn that has claimed it. */
  readonly turnId?: string;
  /** It waits because its dead letter was replayed. */
  readonly isReplayed?: true;
  /** Attempts to begin its turn, if more than one was counted. */
  readonly attempts?: number;
}

/** Facts of an input that come from the gateway's own authentication and routing, never from its text. */
export interface InputAdmission {
  /** The sender holds the gateway's token, or the owner list names `channel:id`. */
  readonly owner: boolean;
  /** The key of a request that named one; it wins over routing. */
  readonly sessionKey?: string;
  /** The agent of a request that named one. */
  readonly agentId?: string;
  readonly kind: RunKind;
  /** The sender waits for an answer to this alone: it is never gathered with other messages or said into a turn at work. */
  readonly ownTurn?: true;
  /** The sender reads the model's thoughts beside the answer, whatever is chosen for the session. */
  readonly showThoughts?: true;
  /** `system` messages of an HTTP request: the Extra section of its prompt. */
  readonly extra?: string;
  /** Earlier messages that a request without a session brought along; they begin its transcript. */
  readonly history?: readonly AgentMessage[];
  /** When the session that is made for this input goes away by itself. */
  readonly expiresAtMs?: number;
}

/**
 * - `waiting`: committed, nobody works on it. - `claimed`: part of a turn that has not ended.
 * - `answered`: a reply was committed. - `silent`: the assistant chose to say nothing. - `suppressed`: the send policy held the reply back.
 * - `ignored`: not for us by policy (access, mention gate), or unattended work that was dropped; nobody is told. - `command`: handled without a turn.
 * - `interrupted`: its turn was stopped before it had answered: by a person, or by a newer message.
 * - `told`: it failed and the user was told, by a row or an entry of the same commit. - `dead`: it failed and nobody could be told, it was tried too
 *   often, or it came too late.
 */
export type InputState =
  | { readonly type: "waiting" | "claimed" | "answered" | "silent" | "suppressed" | "command" }
  | { readonly type: "ignored" | "interrupted" | "told" | "dead"; readonly reason: string };

/** States from which an input never comes back by itself. */
export type TerminalInputState = Exclude<InputState, { readonly type: "waiting" | "claimed" }>;

/** One session: the current conversation under a key. `sessionId` changes with every reset, the key never. */
export interface SessionRecord {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly createdAtMs: number;
  /** When this session id began. */
  readonly startedAtMs: number;
  /** The last message of a person, or the end of the turn it began; system events, heartbeats and cron runs do not count. */
  readonly interactedAtMs: number;
  readonly updatedAtMs: number;
  /** Every sender so far was the owner, and it is no group's session. */
  readonly isPrivate: boolean;
  /** Where the last turn came from; for display only, nothing is delivered by it. */
  readonly lastOrigin?: Origin;
  readonly displayName: string;
  readonly label?: string;
  readonly spawnedBy?: string;
  readonly overrides: SessionOverrides;
  readonly usage: UsageTotals;
  readonly compactionCount: number;
  readonly memoryFlushAtMs?: number;
  readonly lastHeartbeat?: { readonly text: string; readonly sentAtMs: number };
  /** When its conversation was brought in from elsewhere: it is as fresh as if it had begun then, and its words may be anybody's. */
  readonly importedAtMs?: number;
  /** The owner trusts text of others that this conversation holds; a reset forgets it. */
  readonly trust?: SessionTrust;
  /** The session goes away by itself at this time (requests without a session). */
  readonly expiresAtMs?: number;
}

/** Which text of others the owner trusts: what stands in the conversation up to an entry, that one included, or everything until the next reset. */
export type SessionTrust = { readonly type: "until"; readonly entryId: string } | { readonly type: "session" };

/** What was said under one session id: a session has as many as it has begun anew, and one more. */
export interface ConversationRecord {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  /** Its last entry, or its beginning. */
  readonly activeAtMs: number;
  /** The session has begun another one since. */
  readonly isEnded: boolean;
  /** Size of its plain file, as far as the store knows it: it learns of it with its next commit. */
  readonly copyBytes: number;
}

/** Settings of one session that stand above the configuration. */
export interface SessionOverrides {
  readonly thinking?: ThinkingLevel;
  readonly verbose?: "off" | "on" | "full";
  readonly reasoning?: "off" | "on" | "stream";
  readonly elevated?: "off" | "on" | "full";
  readonly tts?: "off" | "always" | "inbound" | "tagged";
  /** A model reference. */
  readonly model?: string;
  readonly authProfile?: string;
  readonly sendPolicy?: "allow" | "deny";
  readonly activation?: "mention" | "always";
  readonly queue?: {
    readonly mode?: "steer" | "followup" | "collect" | "interrupt";
    readonly debounceMs?: number;
    readonly cap?: number;
    readonly drop?: "summarize" | "old" | "new";
  };
}

/** One turn: the work on one input, or on several that were merged. Its id is the run id. */
export interface TurnRecord {
  readonly id: string;
  /** Counts the turns of the session id, from 1. */
  readonly number: number;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: RunKind;
  /** Where the replies go. Copied from the input and never changed. */
  readonly origin: Origin;
  readonly owner: boolean;
  readonly inputIds: readonly string[];
  readonly replyTo?: MessageId;
  readonly state: "running" | "done" | "aborted" | "failed";
  /**
   * Attempts since it last committed an entry, the current one included, so it returns to one with every committed entry. A process that stops cleanly
   * takes its own attempt back.
   */
  readonly attempts: number;
  /** Attempts in all. With a turn that is resumed at start, this is the number of crashes that interrupted it. */
  readonly starts: number;
  /** Of those, attempts as the only resumed turn: a crash during one is most likely its own. */
  readonly soloStarts: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly usage: UsageTotals;
  /** For `failed`: code and message. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** How a turn stands; known also of one whose address was damaged. */
export type TurnState = Pick<TurnRecord, "id" | "kind" | "state" | "attempts" | "starts" | "failure">;

/** One line of a conversation, append-only. `notice` is for people and never sent to a model. */
export type TranscriptEntry = TranscriptBody & {
  /** Unique in the store; sorts in the order of appending. */
  readonly id: string;
  readonly parentId?: string;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly timestampMs: number;
};

/** What an entry holds. */
export type TranscriptBody =
  | { readonly type: "message"; readonly message: AgentMessage }
  | { readonly type: "compaction"; readonly message: CompactionMessage }
  /**
   * From here on other entries stand in requests as these messages; the entries themselves stay. `rerendered`: older turns were rendered again at a named
   * cause. Without it a provider refused something in them (R8).
   */
  | {
      readonly type: "replacement";
      readonly messages: readonly { readonly entryId: string; readonly message: AgentMessage }[];
      readonly rerendered?: true;
    }
  /**
   * A message of a person that clients show and the model is never given: a command, or a message that was dropped. `eventId` is that of its input.
   */
  | {
      readonly type: "ui-message";
      readonly text: string;
      readonly channel: string;
      readonly eventId: string;
      readonly sender?: string;
      /** How many files came with it, if any. */
      readonly attachments?: number;
    }
  /**
   * `key`: what it is the notice of, such as a delivery's idempotency key; unique in the store. `tellsModel`: the next turn's message tells the model of
   * it. Both stand in no plain file.
   */
  | {
      readonly type: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly key?: string;
      readonly tellsModel?: true;
    };

/** A prompt as it was rendered, kept so that it stays the same byte for byte. */
export interface PromptRecord {
  readonly sessionId: string;
  readonly system: SystemPrompt;
  /** The tools block as it is sent: names, descriptions, schemas, in order. */
  readonly tools: readonly ToolSchema[];
  /** SHA-256 of system and tools, hex. */
  readonly hash: string;
  /** The named cause that rendered it, such as `new-session`. */
  readonly cause: string;
  /** Fingerprint of the configuration it was rendered from; another one is a named cause. */
  readonly basis: string;
  readonly renderedAtMs: number;
  /** Where its sections lie, for reports; absent for a prompt of an older build. */
  readonly outline?: PromptOutline;
}

/** What a prompt is made of: its texts are in the prompt itself. */
export interface PromptOutline {
  /** In order; within a half two line breaks stand between sections. */
  readonly sections: readonly { readonly id: string; readonly half: "stable" | "session"; readonly chars: number }[];
  /** Workspace files that did not fit. */
  readonly cutFiles: readonly {
    readonly name: string;
    readonly limit: "file" | "total";
    readonly keptChars: number;
    readonly totalChars: number;
  }[];
}

/**
 * One request to a model, by reference: its texts are the prompt and the entries of the transcript up to one of them, so that a thousand
 * requests of a conversation cost a thousand short rows. Written with the next commit of its turn: a crash before that loses the row.
 */
export interface RequestRecord {
  /** Sorts in the order of sending. */
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly turnNumber: number;
  readonly kind: RunKind;
  /** Counts the requests of the turn, from 1. */
  readonly number: number;
  /** Absent for a request with a body of its own, and when the prompt was damaged and is gone. */
  readonly promptHash?: string;
  /** The last entry that was in it. When none could be read it is written empty, and read as a place before every entry. */
  readonly lastEntryId: string;
  /** How many messages were sent, and a fingerprint of them: what is rebuilt later is compared with it. */
  readonly messages: { readonly count: number; readonly digest: string };
  readonly view: RequestView;
  /** Reference of the model that was asked. */
  readonly model: string;
  /** Where its key came from; never the key. */
  readonly credential?: string;
  readonly settings: RequestSettings;
  /** Named causes and breaks that held for it. */
  readonly causes: readonly string[];
  readonly usage: Usage;
  readonly outcome: RequestOutcome;
  readonly sentAtMs: number;
  readonly durationMs: number;
}

/** The texts of a request that is not made of its conversation. */
export interface RequestBody {
  readonly system: SystemPrompt;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolSchema[];
}

/** How the history was shown: the same values over the same entries give the same messages. */
export interface RequestView {
  /** What is older was shown as a named cause had rendered it anew. */
  readonly settledBeforeMs: number;
  /** Tokens of the window that tool results were cut for. */
  readonly contextWindow: number;
  readonly prunes: boolean;
  /** User turns that were shown at most. */
  readonly historyLimit?: number;
}

/** What a request asked for beside its texts. */
export interface RequestSettings {
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  readonly showThoughts?: boolean;
  readonly cacheKey?: string;
  readonly cacheRetention?: CacheRetention;
}

/** How a request ended. */
export type RequestOutcome =
  | { readonly type: "answered"; readonly stopReason: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string };

/** One tool call's journal: what was started is known to have perhaps run. */
export interface ToolJournalRecord {
  readonly turnId: string;
  readonly callId: string;
  readonly name: string;
  readonly state: "started" | "finished";
}

/** One part of an outgoing message: one send. Parts of a conversation leave in the order of their ids. */
export interface OutboxRecord {
  readonly id: string;
  readonly turnId?: string;
  /** The inputs that ended without a turn and with this answer. */
  readonly inputIds?: readonly string[];
  readonly sessionKey: string;
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  /**
   * `reply`: the turn's answer; `tool`: a message the assistant sent on purpose; `notice`: said by the gateway; `preview`: a growing answer whose last
   * form is a reply.
   */
  readonly purpose: "reply" | "tool" | "notice" | "preview";
  /** Which part of which answer of the turn it shows; absent for what was not sent while the answer was written. */
  readonly covers?: CoveredSpan;
  readonly idempotencyKey: string;
  readonly state: OutboxState;
  readonly attempts: number;
  /** Those of its tries that count against it, as whoever settled them has said. */
  readonly refusals: number;
  readonly createdAtMs: number;
  /** Not before this time. */
  readonly dueAtMs: number;
  /** Not after this time: then it becomes a dead letter instead of a late surprise. */
  readonly expiresAtMs: number;
  /** The row in whose place it is sent, after the rows in whose place that one was. Absent for a row that takes no other's place. */
  readonly replaces?: readonly string[];
  /** One of its sends was never answered: whatever became of it later, the platform may have shown it. */
  readonly possiblyDelivered: boolean;
}

/** A terminal failure (R29). `record` is missing when the row itself is damaged: it can be looked at and purged, and nothing else. */
export type DeadLetter =
  | {
      readonly type: "input";
      readonly id: string;
      readonly reason: string;
      readonly failedAtMs: number;
      /** The session of the turn that had claimed it. */
      readonly sessionKey?: string;
      readonly record?: InputRecord;
    }
  | {
      readonly type: "outbound";
      readonly id: string;
      readonly state: "dead" | "ambiguous";
      readonly reason: string;
      readonly failedAtMs: number;
      readonly sessionKey: string;
      readonly record?: OutboxRecord;
    };

/** A part of an answer, by offset: UTF-16 code units of its visible text. */
export interface CoveredSpan {
  /** Counts the answers of a turn, from 0. */
  readonly answer: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** An outbound message as the outbox keeps it: JSON, media by the id of a stored file. `text` is what is shown, or what stands for it in words. */
export type StoredOutbound =
  | { readonly type: "text"; readonly text: string; readonly replyTo?: MessageId }
  /**
   * Gives the message of an earlier row (`of`, its id) this text. The first `shown` characters stand there already: when the message cannot be changed,
   * the rest is sent as a new one, and all of it when the earlier row was never shown.
   */
  | { readonly type: "edit"; readonly of: string; readonly shown: number; readonly text: string; readonly replyTo?: MessageId }
  /** Takes the message of an earlier row away. */
  | { readonly type: "delete"; readonly of: string; readonly text: "" }
  | {
      readonly type: "media";
      readonly file: string;
      readonly kind: MediaKind;
      readonly mimeType: string;
      readonly fileName: string;
      readonly text: string;
      readonly replyTo?: MessageId;
    };

/**
 * - `waiting`: to be sent at `dueAtMs`. - `sending`: custody was taken; it may be on the wire.
 * - `accepted`: the platform said yes. - `suppressed`: held back by the send policy, or by a stop before it left.
 * - `ambiguous`: it may have been shown; not sent again. - `dead`: given up; listed, replayable.
 * - `replaced`: it was refused as it is, and other rows are sent in its place; or a preview was given up, and its answer is sent as it would be without.
 */
export type OutboxState =
  | { readonly type: "sending" | "suppressed" }
  | { readonly type: "waiting"; readonly delay?: OutboxDelay }
  | { readonly type: "accepted"; readonly messageIds: readonly MessageId[] }
  | { readonly type: "ambiguous" | "dead" | "replaced"; readonly reason: string };

/** Why a row that was tried waits for its next try. */
export interface OutboxDelay {
  /** Begins with the receipt's code (`ambiguous` where there was no answer) and a colon, or is the code alone. */
  readonly reason: string;
  /** From the last try to the next one. */
  readonly delayMs: number;
}

/** What a receipt makes of a row. */
export type OutboxTransition =
  /** `isRefusal`: the try counts against the row. */
  | { readonly type: "receipt"; readonly receipt: SendReceipt; readonly retryAtMs?: number; readonly isRefusal?: boolean }
  | { readonly type: "dead"; readonly reason: string }
  /** A preview ends without a word to anybody. */
  | { readonly type: "dropped"; readonly reason: string };

/** What one agent has used for one cause on one day. */
export interface SpendRecord {
  /** The local day of the agent's user, `YYYY-MM-DD`. */
  readonly day: string;
  readonly agentId: string;
  readonly cause: RunKind;
  readonly calls: number;
  readonly tokens: number;
  /** US dollars; absent while no call had a known price. */
  readonly costUsd?: number;
}

/** What is added to such a record. */
export type SpendCharge = SpendRecord;
