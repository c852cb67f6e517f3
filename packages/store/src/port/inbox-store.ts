import type { AccountProgress, MsgContext, Origin } from "@factotum/channel-contract";
import type { NewOutbound } from "./outbox-store.ts";
import type { Page } from "./page.ts";
import type { BroadcastPart, InputAdmission, InputRecord, TerminalInputState } from "./inbox-records.ts";
import type { ConversationMove, NewMove } from "./move-records.ts";
import type { OutboxRecord } from "./outbox-records.ts";
import type { TranscriptBody, TranscriptEntry } from "./transcript-records.ts";

/** The result of accepting an input; `duplicate` if it was already stored. */
export interface AcceptedInput {
  readonly type: "accepted" | "duplicate";
  readonly input: InputRecord;
  /** The move that was stored with it. */
  readonly move?: ConversationMove;
  /** The inputs of the other agents, in their order. */
  readonly others?: readonly InputRecord[];
}

/** The inputs of the other agents that answer a message. */
export interface OtherParts {
  /** In the order of their answers. Each event id is unique. */
  readonly parts: readonly { readonly message: MsgContext; readonly admission: InputAdmission & { readonly broadcast: BroadcastPart } }[];
  /** Each waits for the answer of the one before. */
  readonly isOrdered: boolean;
}

/** Notices written in the commit that settles inputs. */
export interface InputAnswer {
  readonly outbox?: readonly NewOutbound[];
  readonly transcript?: { readonly sessionId: string; readonly entries: readonly TranscriptBody[] };
}

/** The rows and entries stored by settling inputs. */
export interface SettledInputs {
  readonly outbox: readonly OutboxRecord[];
  readonly entries: readonly TranscriptEntry[];
}

/** Inputs, from acceptance to their terminal state. */
export interface InboxStore {
  /**
   * Accepts an input, once per (channel, account, conversation, event id), and commits the account's progress with it, also for a duplicate (R2). A `move` of its
   * conversation is stored with a new input, unless the conversation has moved before or the move would lead back to it.
   */
  acceptInput(
    message: MsgContext,
    options: {
      readonly admission: InputAdmission;
      readonly receivedAtMs: number;
      readonly progress?: AccountProgress;
      readonly move?: NewMove;
      /** Stored with a new input, in the same commit. */
      readonly others?: OtherParts;
    },
  ): Promise<AcceptedInput>;
  /** Oldest first. */
  listInputs(filter: {
    readonly state: InputRecord["state"]["type"];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<InputRecord>>;
  readInput(id: string): Promise<InputRecord | undefined>;
  /** The input of an event of a channel or of the gateway, not of a webhook; `undefined` if none was accepted, or it was pruned. */
  findInput(event: Pick<MsgContext, "origin" | "eventId">): Promise<InputRecord | undefined>;
  /** True if a message with this id was received in the chat, whatever its thread; while its input is kept. */
  hasReceived(chat: Origin, messageId: string): Promise<boolean>;
  /** The newest inputs in any state, newest first. */
  listRecentInputs(limit: number): Promise<readonly InputRecord[]>;
  /**
   * Counts one more attempt to begin the turn of inputs that an earlier process left waiting, and resolves with the highest count. The first attempt is not
   * stored: every input starts at one.
   */
  beginInputs(ids: readonly string[]): Promise<number>;
  /** Takes back the attempt of waiting inputs after a clean stop: they did not cause the end of the process. */
  releaseInputs(ids: readonly string[]): Promise<void>;
  /** Settles inputs that get no turn. The rows of `outbox` name them. Entries for a session that was deleted meanwhile are dropped. */
  settleInputs(ids: readonly string[], state: TerminalInputState, answer?: InputAnswer): Promise<SettledInputs>;
  /** Requeues a dead input, marked as replayed until it is claimed or settled. Rejects with `conflict` if it is not dead, with `damaged` if it cannot be read. */
  reviveInput(id: string): Promise<InputRecord>;
}
