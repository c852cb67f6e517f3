/** When a request is cut off: the product may have stored the event by then. */
const CUT_AFTER_MS = 3;

/** Posts events of a platform to the product, and cuts off requests on demand. */
export class EventPoster {
  #cutsNext = false;

  /** Cuts off the next request shortly after its start. */
  cutNext(): void {
    this.#cutsNext = true;
  }

  /** Resolves with whether the product accepted the event; false if it is down or the request was cut off. */
  async post(request: Request): Promise<boolean> {
    const cut = new AbortController();
    if (this.#cutsNext) setTimeout(() => cut.abort(), CUT_AFTER_MS);
    this.#cutsNext = false;
    try {
      const response = await fetch(request, { signal: cut.signal });
      await response.arrayBuffer();
      return response.ok;
    } catch (error) {
      // The product is gone, or the connection was cut. Anything else is a fault of the test.
      if (error instanceof TypeError || cut.signal.aborted) return false;
      throw error;
    }
  }
}
