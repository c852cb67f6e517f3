import type { Clock } from "@factotum/agent-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import type { ClientAddress } from "../access/client-address.ts";

/** Wrong tokens and signatures of one address in a minute. */
const MAX_BAD = 20;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1000;

/** Counts wrong tokens and signatures by address: after 20 within a minute, requests of the address are refused unread until one of them is older than that. */
export class BadTokens {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #times: Map<string, readonly number[]> = createBoundedMap(MAX_ADDRESSES);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  record({ address }: Pick<ClientAddress, "address">): void {
    this.#times.set(address, [...this.#recent(address), this.#clock.monotonic()].slice(-MAX_BAD));
  }

  /** Milliseconds until requests of the address are looked at again; 0 if they are now. */
  delayMs({ address }: Pick<ClientAddress, "address">): number {
    const [oldest = 0, ...others] = this.#recent(address);
    return others.length + 1 < MAX_BAD ? 0 : Math.max(1, oldest + WINDOW_MS - this.#clock.monotonic());
  }

  #recent(address: string): readonly number[] {
    const sinceMs = this.#clock.monotonic() - WINDOW_MS;
    return (this.#times.get(address) ?? []).filter((timeMs) => timeMs > sinceMs);
  }
}
