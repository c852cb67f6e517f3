import type { Origin } from "@factotum/channel-contract";

/** A row that failed its checksum. It is excluded from then on; the session continues without it (R10). */
export interface StoreDamage {
  readonly type:
    | "entry"
    | "outbound"
    | "input"
    | "turn"
    | "session"
    | "prompt"
    | "request"
    | "account-state"
    | "pairing"
    | "move"
    | "approval"
    | "command"
    | "exchange"
    | "focus"
    | "job"
    | "spawn"
    | "checkpoint";
  /** Id of the row; for a session its key, for a prompt its session id, for a row of account state its key, for a pairing its account and sender, for a move its account and old address, for a focus its conversation, for a checkpoint the path. */
  readonly id: string;
  /** The affected session, if known. */
  readonly sessionKey?: string;
  /** The origin of the turn that wrote the row, to notify that chat. Absent if no turn wrote it, and if the turn is damaged too. */
  readonly origin?: Origin;
}
