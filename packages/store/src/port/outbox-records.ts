import type { JobOccurrence } from "@factotum/agent-contract";
import type { Audience, Card, MediaKind, Mention, MessageId, Origin, Poll, SendReceipt } from "@factotum/channel-contract";
import type { InputRecord } from "./inbox-records.ts";

/** One part of an outgoing message: one send. Parts of a conversation are sent in the order of their ids. */
export interface OutboxRecord {
  readonly id: string;
  readonly turnId?: string;
  /** The inputs that were settled without a turn by this answer. */
  readonly inputIds?: readonly string[];
  readonly sessionKey: string;
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  /**
   * `reply`: the turn's answer; `tool`: a message the assistant sent on purpose; `notice`: a message of the gateway itself; `preview`: a growing answer whose
   * final form is a reply.
   */
  readonly purpose: "reply" | "tool" | "notice" | "preview";
  /** Which part of which answer of the turn it shows; absent for rows that were not streamed. */
  readonly covers?: CoveredSpan;
  /** The slot of a job that sends it without a turn. */
  readonly slot?: Pick<JobOccurrence, "jobId" | "slotMs">;
  readonly idempotencyKey: string;
  readonly state: OutboxState;
  readonly attempts: number;
  /** Attempts that count against its limit, as decided by the settling caller. */
  readonly refusals: number;
  readonly createdAtMs: number;
  /** When its state became final; absent until then. */
  readonly settledAtMs?: number;
  /** Not before this time. */
  readonly dueAtMs: number;
  /** Not after this time: then it becomes a dead letter instead of arriving late. */
  readonly expiresAtMs: number;
  /** The row that it replaces, preceded by the rows that that one replaced. Absent if it replaces none. */
  readonly replaces?: readonly string[];
  /** One of its sends got no answer, so the platform may have shown it, regardless of its final state. */
  readonly possiblyDelivered: boolean;
}

/** A terminal failure (R29). `record` is absent if the row itself is damaged: it can then only be listed and purged. */
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

/** An outbound message as stored: JSON, with media by the id of a stored file. `text` is the visible text, or its textual substitute. */
export type StoredOutbound =
  | ({ readonly type: "text"; readonly text: string; readonly mentions?: readonly Mention[]; readonly replyTo?: MessageId } & Audience)
  /** `text` is what the card says, for platforms that refuse it. */
  | ({ readonly type: "card"; readonly card: Card; readonly text: string; readonly replyTo?: MessageId } & Audience)
  /** Replaces the card of an earlier row. */
  | { readonly type: "edit-card"; readonly of: string; readonly card: Card; readonly text: string }
  | { readonly type: "poll"; readonly poll: Poll; readonly text: string }
  | { readonly type: "reaction"; readonly targetId: MessageId; readonly emoji: string; readonly removed: boolean; readonly text: "" }
  /**
   * Edits the message of an earlier row (`of`, its id) to this text. Its first `shown` characters are visible already: if the message cannot be edited, the
   * rest is sent as a new message, or all of it if the earlier row was never shown.
   */
  | {
      readonly type: "edit";
      readonly of: string;
      readonly shown: number;
      readonly text: string;
      readonly replyTo?: MessageId;
      /** The platform shows the message growing and has its first `streamed` characters: the first attempt is the last step of the stream. */
      readonly streamed?: number;
    }
  /** Deletes the message of an earlier row. */
  | { readonly type: "delete"; readonly of: string; readonly text: "" }
  /** `text` includes the caption. */
  | (StoredFile & {
      readonly type: "media";
      readonly text: string;
      readonly caption?: string;
      readonly replyTo?: MessageId;
      readonly silent?: boolean;
    })
  /** Several files as one message. */
  | { readonly type: "album"; readonly files: readonly StoredFile[]; readonly text: string; readonly silent?: boolean };

/** A stored file of an outbound message. */
export interface StoredFile {
  readonly file: string;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName: string;
  /** A recording, shown as a voice message. */
  readonly voice?: boolean;
}

/**
 * - `waiting`: to be sent at `dueAtMs`. - `sending`: claimed; it may be on the wire.
 * - `accepted`: the platform accepted it. - `suppressed`: held back by the send policy, or by a stop before it was sent.
 * - `ambiguous`: it may have been shown; not sent again. - `dead`: given up; listed, replayable.
 * - `replaced`: it was refused, and other rows are sent in its place; or a preview was abandoned, and its answer is sent normally.
 */
export type OutboxState =
  | { readonly type: "sending" | "suppressed" }
  | { readonly type: "waiting"; readonly delay?: OutboxDelay }
  | { readonly type: "accepted"; readonly messageIds: readonly MessageId[] }
  | { readonly type: "ambiguous" | "dead" | "replaced"; readonly reason: string };

/** Why a row waits for a retry. */
export interface OutboxDelay {
  /** Starts with the receipt's code (`ambiguous` if there was no answer) and a colon, or is the code alone. */
  readonly reason: string;
  /** From the last attempt to the next one. */
  readonly delayMs: number;
}

/** A state change of a row, usually from a receipt. */
export type OutboxTransition =
  /** `isRefusal`: the attempt counts against the row's limit. */
  | { readonly type: "receipt"; readonly receipt: SendReceipt; readonly retryAtMs?: number; readonly isRefusal?: boolean }
  | { readonly type: "dead"; readonly reason: string }
  /** A preview ends without a notice to anyone. */
  | { readonly type: "dropped"; readonly reason: string };
