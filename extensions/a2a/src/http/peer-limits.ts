import type { Clock } from "@factotum/channel-contract";

/** Below the gateway's own default against loops of bots (`botLoop`), which answers nothing. */
const MAX_MESSAGES = 20;
const MAX_REQUESTS = 240;
const WINDOW_MS = 60_000;
/** Requests of one peer that wait for the end of a task. */
const MAX_WAITING = 4;

/** What a peer may do at once, and within a minute: one that floods the account is refused, and the others are not. */
export class PeerLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #taken = new Map<string, number[]>();
  readonly #waiting = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** True if one more request of this kind is within the limit; it is counted then. */
  take(peer: string, kind: "request" | "message"): boolean {
    const key = `${kind} ${peer}`;
    const nowMs = this.#clock.monotonic();
    const recent = (this.#taken.get(key) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
    const isWithin = recent.length < (kind === "message" ? MAX_MESSAGES : MAX_REQUESTS);
    this.#taken.set(key, isWithin ? [...recent, nowMs] : recent);
    return isWithin;
  }

  /** A place among those who wait, until it is disposed; `undefined` if all are taken. */
  wait(peer: string): Disposable | undefined {
    const count = this.#waiting.get(peer) ?? 0;
    if (count >= MAX_WAITING) return undefined;
    this.#waiting.set(peer, count + 1);
    return { [Symbol.dispose]: () => void this.#waiting.set(peer, (this.#waiting.get(peer) ?? 1) - 1) };
  }
}
