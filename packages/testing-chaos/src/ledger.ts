/** A message of a person, as recorded by the sender. */
export interface LedgerInput {
  readonly id: string;
  readonly conversation: string;
  /** The gateway acknowledged it to the platform. Only then it must be answered; it may never be answered twice. */
  readonly acknowledged: boolean;
}

/** One request to send a message, as the fake platform saw it. Everything here comes from the platform's log, nothing from the gateway. */
export interface ObservedSend {
  /** The platform's own name for it, for display. */
  readonly id: string;
  readonly conversation: string;
  /** The input that it answers; `undefined` if it cannot be told from the text. */
  readonly answers: string | undefined;
  /** The index of the message in a reply of several; from 0. */
  readonly part: number;
  /** Visible: it was accepted, and was not recognised as a duplicate. */
  readonly shown: boolean;
  /** The gateway died after the request had arrived and before its answer had gone out. */
  readonly onWireAtKill: boolean;
}

/** The inputs and sends of a run. */
export interface Ledger {
  readonly inputs: readonly LedgerInput[];
  readonly sends: readonly ObservedSend[];
  /** The channel deduplicates sends. Then nothing is ever ambiguous. */
  readonly idempotentSends: boolean;
}

/** What is wrong, or, if `ambiguous`, what cannot be known and is allowed. */
export type LedgerVerdict =
  /** No answer was seen, or a part of it is missing. */
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
  /** A message that answers no known input. */
  | { readonly type: "unasked"; readonly conversation: string; readonly send: string }
  | {
      readonly type: "ambiguous";
      readonly input: string;
      readonly conversation: string;
      readonly part: number;
      readonly sends: readonly string[];
    };

/** The result of a run. */
export interface LedgerReport {
  readonly verdicts: readonly LedgerVerdict[];
  /** Verdicts by type, including types without any. */
  readonly counts: Readonly<Record<LedgerVerdict["type"], number>>;
  /** Inputs that were answered in their conversation, each message once. */
  readonly answered: number;
  /** No verdicts except ambiguous ones. */
  readonly isClean: boolean;
}
