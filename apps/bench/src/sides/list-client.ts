const PROTOCOL = 1;
const PAGE = 50;

interface Frame {
  readonly type: string;
  readonly ok?: boolean;
  readonly result?: { readonly sessions: readonly { readonly key: string; readonly displayName: string }[] };
}

/** Asks a gateway for its newest sessions over one connection. */
export class ListClient implements Disposable {
  readonly #socket: WebSocket;
  #next = Promise.withResolvers<Frame>();
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#next.resolve(JSON.parse(String(data)) as Frame));
    socket.addEventListener("close", () => this.#next.reject(new Error("The gateway closed the connection.")));
    socket.addEventListener("error", () => this.#next.reject(new Error("The gateway cannot be reached.")));
  }

  static async connect(url: string, token: string): Promise<ListClient> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    const client = new ListClient(socket);
    const frame = {
      type: "connect",
      minProtocol: PROTOCOL,
      maxProtocol: PROTOCOL,
      client: { name: "bench", version: "1" },
      auth: { token },
    };
    const { type } = await client.#ask(frame);
    if (type !== "hello") throw new Error("The gateway does not admit the bench.");
    return client;
  }

  /** One page; resolves with its wall time in milliseconds. Rejects for a wrong answer: it would not be a valid time. */
  async page(): Promise<number> {
    this.#count += 1;
    const startedAt = performance.now();
    const { ok, result } = await this.#ask({ type: "req", id: String(this.#count), method: "sessions.list", params: { limit: PAGE } });
    const tookMs = performance.now() - startedAt;
    const sessions = result?.sessions ?? [];
    if (ok !== true || sessions.length !== PAGE || sessions.some(({ key, displayName }) => key === displayName))
      throw new Error(`The gateway's list of sessions is not what is stored: ${JSON.stringify(result).slice(0, 500)}`);
    return tookMs;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  async #ask(frame: unknown): Promise<Frame> {
    this.#next = Promise.withResolvers<Frame>();
    this.#socket.send(JSON.stringify(frame));
    return this.#next.promise;
  }
}
