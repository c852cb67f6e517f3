import type { Origin } from "@factotum/channel-contract";

/** A row that is not what was written. It is left out of everything from then on; the session goes on without it (R10). */
export interface StoreDamage {
  readonly type: "entry" | "outbound" | "input" | "turn" | "session" | "prompt" | "request";
  /** Id of the row; for a session its key, for a prompt its session id. */
  readonly id: string;
  /** Where it is known: whom it concerns. */
  readonly sessionKey?: string;
  /** Where the turn came from that has made it: whoever is there is told. Absent for what no turn has made, and when the turn is damaged too. */
  readonly origin?: Origin;
}
