/** Something that a person said, as whoever pushed it to the gateway knows it. */
export interface LedgerInput {
  readonly id: string;
  readonly conversation: string;
  /** The gateway told the platform that it has it. Only then it must be answered; never may it be answered twice. */
  readonly acknowledged: boolean;
}

/** One request to send a message, as the fake platform saw it. Everything here comes from the platform's log, nothing from the gateway. */
export interface ObservedSend {
  /** The platform's own name for it, for reading. */
  readonly id: string;
  readonly conversation: string;
  /** The input that it answers; `undefined` when nothing of it tells. */
  readonly answers: string | undefined;
  /** Which message of a reply that is several; from 0. */
  readonly part: number;
  /** People can see it: it was taken, and was not recognised as a repetition of another. */
  readonly shown: boolean;
  /** The gateway died after the request had arrived and before its answer had gone out. */
  readonly onWireAtKill: boolean;
}

/** Both sides of a run. */
export interface Ledger {
  readonly inputs: readonly LedgerInput[];
  readonly sends: readonly ObservedSend[];
  /** The channel recognises a repeated send. Then nothing is ever ambiguous. */
  readonly idempotentSends: boolean;
}

/** What is wrong, or, if `ambiguous`, what cannot be known and is allowed. */
export type LedgerVerdict =
  /** Nobody saw an answer, or a part of it is missing. */
  | { readonly type: "lost"; readonly input: string; readonly conversation: string; readonly part: number }
  | {
      readonly type: "doubled";
      readonly input: string;
      readonly conversation: string;
      readonly part: number;
      readonly sends: readonly string[];
    }
  /** An answer was shown in another conversation than its question. */
  | { readonly type: "wrong-chat"; readonly input: string; readonly conversation: string; readonly shownIn: string; readonly send: string }
  /** A message that answers nothing that was ever said. */
  | { readonly type: "unasked"; readonly conversation: string; readonly send: string }
  | {
      readonly type: "ambiguous";
      readonly input: string;
      readonly conversation: string;
      readonly part: number;
      readonly sends: readonly string[];
    };

/** What a run came to. */
export interface LedgerReport {
  readonly verdicts: readonly LedgerVerdict[];
  /** Verdicts by type, those without one included. */
  readonly counts: Readonly<Record<LedgerVerdict["type"], number>>;
  /** Inputs that were answered in their conversation, each message once. */
  readonly answered: number;
  /** No verdict but ambiguous ones. */
  readonly isClean: boolean;
}
