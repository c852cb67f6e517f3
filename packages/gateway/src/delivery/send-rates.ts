import type { Clock } from "@factotum/agent-contract";
import type { ChannelLimits, Origin } from "@factotum/channel-contract";
import { wait } from "./wait.ts";

/** Keeps the sends of each account within the rate that its channel declares: at most `count` within any `perMs`. */
export class SendRates {
  readonly #clock: Clock;
  /** Monotonic times of the newest sends, oldest first. */
  readonly #sends = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the account may send once more, and counts that send. False if the limit or the signal ends the wait. */
  async enter(
    { channel, accountId }: Pick<Origin, "channel" | "accountId">,
    rate: ChannelLimits["sendRate"],
    { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (rate === undefined) return !signal.aborted;
    const key = JSON.stringify([channel, accountId]);
    const sends = this.#sends.get(key) ?? [];
    this.#sends.set(key, sends);
    const endMs = this.#clock.monotonic() + limitMs;
    for (;;) {
      const nowMs = this.#clock.monotonic();
      if (signal.aborted || nowMs >= endMs) return false;
      while (sends[0] !== undefined && sends[0] + rate.perMs <= nowMs) sends.shift();
      const [oldest] = sends;
      if (oldest === undefined || sends.length < rate.count) {
        sends.push(nowMs);
        return true;
      }
      await wait(Math.min(endMs, oldest + rate.perMs) - nowMs, { clock: this.#clock, signal });
    }
  }
}
