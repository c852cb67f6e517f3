import { withoutUndefined } from "@factotum/agent-contract";
import type { ChannelStatus } from "@factotum/protocol";

/** What was seen of an account since the start of the gateway, while its health was looked at. In memory alone. */
export class AccountEvidence {
  #state: ChannelStatus["state"] | undefined;
  #sinceMs = 0;
  #lastInboundAtMs: number | undefined;
  #lastProblem: ChannelStatus["lastProblem"];

  /** A message of the platform was stored. */
  received(nowMs: number): void {
    this.#lastInboundAtMs = nowMs;
  }

  /** The health with what was seen; a state or a problem counts from the first look at it. */
  addTo(status: ChannelStatus, nowMs: number): ChannelStatus {
    const { state, detail } = status;
    if (state !== this.#state) {
      this.#state = state;
      this.#sinceMs = nowMs;
    }
    const isWrong = state === "failed" || state === "disconnected" || state === "degraded";
    if (isWrong && detail !== undefined && detail !== this.#lastProblem?.text) this.#lastProblem = { text: detail, atMs: nowMs };
    return {
      ...status,
      sinceMs: this.#sinceMs,
      ...withoutUndefined({ lastInboundAtMs: this.#lastInboundAtMs, lastProblem: this.#lastProblem }),
    };
  }
}
