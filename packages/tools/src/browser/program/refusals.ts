import type { RefusedRequest } from "../../forward-proxy/forward-proxy.ts";

/** Refused requests that are remembered: a browser makes some of its own besides those of a page. */
const MAX_KEPT = 50;

/** What the proxy has refused: how often, and the latest requests. */
export class Refusals {
  #count = 0;
  readonly #kept: RefusedRequest[] = [];

  /** How many there were, as a moment for `since`. */
  get count(): number {
    return this.#count;
  }

  add(request: RefusedRequest): void {
    this.#count += 1;
    this.#kept.push(request);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
  }

  /** The last request that was refused since a moment; otherwise `undefined`. */
  since(count: number): RefusedRequest | undefined {
    return this.#count > count ? this.#kept.at(-1) : undefined;
  }

  /** The last request that was refused since a moment for this reason; otherwise `undefined`. */
  findSince(count: number, reason: string): RefusedRequest | undefined {
    const added = Math.min(this.#count - count, this.#kept.length);
    return added === 0 ? undefined : this.#kept.slice(-added).findLast((request) => request.reason === reason);
  }
}
