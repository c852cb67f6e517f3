import type { MediaKind, MessageId, Origin, SendReceipt } from "@factotum/channel-contract";
import type { InputRecord } from "./inbox-records.ts";

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
