import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { FaultQueues } from "./fault-queues.ts";

/** The WebSockets of a platform, on the port of its HTTP API. */
export interface FakeSockets {
  /** Host and port of the server; set before it takes connections. */
  address: string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

// A client that reuses an idle connection must never race with the server closing it.
const KEEP_ALIVE_MS = 600_000;

/** What the fake platforms share: an HTTP server on a loopback port that keeps the received requests and plans faults. */
export abstract class FakeServer<Received, Fault> implements AsyncDisposable {
  /** Received requests, oldest first. */
  readonly requests: Received[] = [];
  protected readonly faults: FaultQueues<Fault> = new FaultQueues<Fault>();
  readonly #maxBodyBytes: number;
  readonly #server: Server;
  readonly #watchers: (() => void)[] = [];
  readonly #waiting: { readonly matches: (request: Received) => boolean; readonly resolve: (request: Received) => void }[] = [];
  #sockets: FakeSockets | undefined;
  #port = 0;

  protected constructor({ maxBodyBytes }: { readonly maxBodyBytes: number }) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#receive(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error("failed", { cause: error })),
      );
    });
  }

  get port(): number {
    return this.#port;
  }

  /** The address to configure in place of the platform's. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Makes the next request that shows, changes or removes something fail; several queue up. */
  failNext(fault: Fault): void {
    this.faults.changes.push(fault);
  }

  /** Makes the next other request fail; several queue up. */
  failNextRead(fault: Fault): void {
    this.faults.reads.push(fault);
  }

  /** Answers every request that a `hold` fault holds back. */
  release(): void {
    this.faults.release();
  }

  /** Resolves with the next matching request, or with an earlier one. */
  async request(matches: (request: Received) => boolean): Promise<Received> {
    const earlier = this.requests.find(matches);
    if (earlier !== undefined) return earlier;
    const { promise, resolve } = Promise.withResolvers<Received>();
    this.#waiting.push({ matches, resolve });
    return promise;
  }

  /** Calls `listener` after each handled request, including refused and broken ones: what is shown has its effect. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  /** Closes idle connections, so that an idle client holds none. A request that is being sent at that moment fails. */
  closeIdleConnections(): void {
    this.#server.closeIdleConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#sockets?.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  /** Listens on a free port of 127.0.0.1. */
  protected async listen(sockets?: FakeSockets): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    this.#port = (this.#server.address() as AddressInfo).port;
    if (sockets === undefined) return;
    this.#sockets = sockets;
    sockets.address = `127.0.0.1:${this.#port}`;
    this.#server.on("upgrade", (request, socket, head) => sockets.upgrade(request, socket, head));
  }

  /** Answers with the page of a proxy, as if all had gone well. */
  protected answerGarbage(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
  }

  /** Keeps a request. */
  protected record(request: Received): void {
    this.requests.push(request);
    for (const waiting of this.#waiting.filter(({ matches }) => matches(request))) waiting.resolve(request);
  }

  /** Records a request, and answers it; if it rejects, the connection breaks. */
  protected abstract handle(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void>;

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#readBody(request);
    try {
      await this.handle(request, body, response);
    } finally {
      for (const listener of this.#watchers) listener();
    }
  }

  async #readBody(request: IncomingMessage): Promise<Buffer> {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > this.#maxBodyBytes) throw new Error("body too large");
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}
