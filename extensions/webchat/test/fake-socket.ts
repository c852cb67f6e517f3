import type { WebchatDelivery, WebchatInput, WebchatSocket } from "@factotum/protocol";

/** The gateway's side of the socket, in memory: entries with their own ids, each idempotency key stored once. */
export class FakeSocket implements WebchatSocket {
  readonly deliveries: WebchatDelivery[] = [];
  /** Awaited before a delivery is stored; a test replaces it to hold a delivery or make it fail. */
  beforeStore: (delivery: WebchatDelivery) => Promise<void> = () => Promise.resolve();
  /** Uploads by ref. */
  readonly uploads: Map<string, Uint8Array> = new Map<string, Uint8Array>();
  readonly #entryIds = new Map<string, string>();
  readonly #handlers = new Set<(input: WebchatInput) => Promise<"accepted" | "duplicate">>();

  get listeners(): number {
    return this.#handlers.size;
  }

  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  async deliver(delivery: WebchatDelivery, options: { readonly signal: AbortSignal }): Promise<{ readonly entryId: string }> {
    await this.beforeStore(delivery);
    options.signal.throwIfAborted();
    const known = this.#entryIds.get(delivery.idempotencyKey);
    if (known !== undefined) return { entryId: known };
    const entryId = `entry-${this.#entryIds.size + 1}`;
    this.#entryIds.set(delivery.idempotencyKey, entryId);
    this.deliveries.push(delivery);
    return { entryId };
  }

  async readUpload(ref: string): Promise<Uint8Array | undefined> {
    return this.uploads.get(ref);
  }

  /** Types a message into the window. */
  async input(input: WebchatInput): Promise<"accepted" | "duplicate"> {
    const [handler] = this.#handlers;
    if (handler === undefined) throw new Error("Nobody listens on the socket.");
    return handler(input);
  }
}
