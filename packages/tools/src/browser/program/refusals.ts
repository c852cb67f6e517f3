import type { RefusedRequest } from "../../forward-proxy/forward-proxy.ts";

/** What the proxy has refused: how often, and why the last time. */
export class Refusals {
  #count = 0;
  #last = "";

  /** How many there were, as a moment for `since`. */
  get count(): number {
    return this.#count;
  }

  add({ reason }: RefusedRequest): void {
    this.#count += 1;
    this.#last = reason;
  }

  /** Why the last request since a moment was refused; `undefined` if none was. */
  since(count: number): string | undefined {
    return this.#count > count ? this.#last : undefined;
  }
}
