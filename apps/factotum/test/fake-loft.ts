import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface LoftMessage {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  /** The group that it was written in; absent for a direct message. */
  readonly group?: string;
  /** Instead of a message: the group continues under this id. */
  readonly movedTo?: string;
}

/** The platform of the test channel: delivers messages until they are acknowledged, and collects what is sent. */
export class FakeLoft implements AsyncDisposable {
  readonly token = "loft-canary-token";
  readonly sent: { readonly to: string; readonly text: string }[] = [];
  readonly #server: Server;
  readonly #waiting: LoftMessage[] = [];
  #count = 0;
  readonly #watchers = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeLoft> {
    const server = createServer();
    const loft = new FakeLoft(server);
    server.on("request", (request, response) => {
      void loft.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return loft;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Someone writes to the bot. */
  write(from: string, text: string, place: Pick<LoftMessage, "group" | "movedTo"> = {}): void {
    this.#count += 1;
    this.#waiting.push({ id: `m${this.#count}`, from, text, ...place });
    this.#wake();
  }

  /** Resolves once every message was acknowledged. */
  async allTaken(): Promise<void> {
    await this.#until(() => this.#waiting.length === 0);
  }

  /** Resolves once `count` texts were sent in total. */
  async waitForSent(count: number): Promise<void> {
    await this.#until(() => this.sent.length >= count);
  }

  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
    const body = request.method === "POST" ? ((await json(request)) as Record<string, string>) : {};
    if (request.headers.authorization !== this.token) return { status: 401, body: {} };
    switch (request.url) {
      case "/messages":
        await this.#until(() => this.#waiting.length > 0, request);
        return { status: 200, body: { messages: this.#waiting } };
      case "/acknowledge":
        this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter(({ id }) => id !== body["id"]));
        this.#wake();
        return { status: 200, body: {} };
      case "/send":
        this.sent.push({ to: body["to"] ?? "", text: body["text"] ?? "" });
        this.#wake();
        return { status: 200, body: { id: `s${this.sent.length}` } };
      case "/me":
        return { status: 200, body: { id: "loft-1", name: "The loft" } };
      default:
        return { status: 404, body: {} };
    }
  }

  async #until(isTrue: () => boolean, request?: IncomingMessage): Promise<void> {
    if (isTrue()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (isTrue() || request?.destroyed === true) resolve();
    };
    this.#watchers.add(check);
    request?.once("close", () => resolve());
    await promise;
    this.#watchers.delete(check);
  }

  #wake(): void {
    for (const check of this.#watchers) check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
