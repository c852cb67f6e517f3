import type { RefusedRequest } from "../../forward-proxy/forward-proxy.ts";

/** What the proxy has refused: how often, and the last of it. */
export class Refusals {
  #count = 0;
  #last: RefusedRequest | undefined;

  /** How many there were, as a moment for `since`. */
  get count(): number {
    return this.#count;
  }

  add(request: RefusedRequest): void {
    this.#count += 1;
    this.#last = request;
  }

  /** The last request that was refused since a moment; otherwise `undefined`. */
  since(count: number): RefusedRequest | undefined {
    return this.#count > count ? this.#last : undefined;
  }
}
