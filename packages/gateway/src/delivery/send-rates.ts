import type { Clock } from "@factotum/agent-contract";
import type { ChannelLimits, Origin } from "@factotum/channel-contract";
import { wait } from "./wait.ts";

type Account = Pick<Origin, "channel" | "accountId">;

interface AccountSends {
  /** Monotonic times of the newest sends, oldest first. */
  readonly times: number[];
  waiting: number;
}

/** Keeps the sends of each account within the rate that its channel declares: at most `count` within any `perMs`. */
export class SendRates {
  readonly #clock: Clock;
  readonly #accounts = new Map<string, AccountSends>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the account may send once more, and counts that send. False if the limit or the signal ends the wait. */
  async enter(
    account: Account,
    rate: ChannelLimits["sendRate"],
    { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (rate === undefined) return !signal.aborted;
    const sends = this.#sendsOf(account);
    const endMs = this.#clock.monotonic() + limitMs;
    sends.waiting += 1;
    try {
      for (;;) {
        const nowMs = this.#clock.monotonic();
        if (signal.aborted || nowMs >= endMs) return false;
        const oldest = forgetBefore(nowMs - rate.perMs, sends);
        if (oldest === undefined || sends.times.length < rate.count) {
          sends.times.push(nowMs);
          return true;
        }
        await wait(Math.min(endMs, oldest + rate.perMs) - nowMs, { clock: this.#clock, signal });
      }
    } finally {
      sends.waiting -= 1;
    }
  }

  /**
   * Counts a send that may be left out, such as a change of a preview; false if it must be. Messages go first: it never takes the place of one that waits, and
   * leaves the last send of an interval to them, unless the rate allows only one.
   */
  tryEnter(account: Account, rate: ChannelLimits["sendRate"]): boolean {
    if (rate === undefined) return true;
    const sends = this.#sendsOf(account);
    const nowMs = this.#clock.monotonic();
    forgetBefore(nowMs - rate.perMs, sends);
    if (sends.waiting > 0 || sends.times.length >= Math.max(1, rate.count - 1)) return false;
    sends.times.push(nowMs);
    return true;
  }

  #sendsOf({ channel, accountId }: Account): AccountSends {
    const key = JSON.stringify([channel, accountId]);
    const sends = this.#accounts.get(key) ?? { times: [], waiting: 0 };
    this.#accounts.set(key, sends);
    return sends;
  }
}

/** Forgets sends that do not count any more, and returns the time of the oldest that does. */
function forgetBefore(timeMs: number, { times }: AccountSends): number | undefined {
  while (times[0] !== undefined && times[0] <= timeMs) times.shift();
  return times[0];
}
