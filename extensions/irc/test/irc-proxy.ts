import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** What happens to the client's next message. */
export type ProxyFault = "answer-lost" | "held" | "dropped";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Lines for the client wait in this order. */
  tail: Promise<void>;
}

/** Between the channel and a real server: breaks connections, holds answers, counts, and asks the client whether it has read everything. */
export class IrcProxy implements AsyncDisposable {
  registrations = 0;
  sendRequests = 0;
  /** The line that was passed to the client last. */
  passed = "";
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #watchers = new Set<() => void>();
  readonly #pongs = new Set<string>();
  readonly #beforePong: () => Promise<void>;
  #fault: ProxyFault | undefined;
  #gate = Promise.withResolvers<void>();
  #pings = 0;

  private constructor(target: number, beforePong: () => Promise<void>) {
    this.#gate.resolve();
    this.#beforePong = beforePong;
    this.#server = createServer((client) => this.#accept(client, connect({ port: target, host: "127.0.0.1" })));
  }

  /** `beforePong` is awaited before the client gets an answer to its PING. */
  static async start(target: number, beforePong: () => Promise<void>): Promise<IrcProxy> {
    const proxy = new IrcProxy(target, beforePong);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.#pairs.size;
  }

  failNext(fault: ProxyFault): void {
    this.#fault = fault;
  }

  /** Lets held lines pass. */
  release(): void {
    this.#gate.resolve();
  }

  disconnect(): void {
    for (const { client } of this.#pairs) client.destroy();
  }

  /** Sends bytes to the client as if the server had. */
  inject(bytes: Uint8Array): void {
    for (const { client } of this.#pairs) client.write(Buffer.concat([bytes, Buffer.from("\r\n")]));
  }

  /** Resolves once the client has read everything that was passed on before. */
  async answered(): Promise<void> {
    await Promise.all([...this.#pairs].map(({ tail }) => tail));
    this.#pings += 1;
    const token = `proxy-${this.#pings}`;
    this.inject(Buffer.from(`PING :${token}`));
    await this.until(() => this.#pongs.has(token) || this.#pairs.size === 0);
  }

  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (condition()) resolve();
    };
    this.#watchers.add(check);
    await promise;
    this.#watchers.delete(check);
  }

  async shutDown(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.disconnect();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.shutDown();
  }

  #accept(client: Socket, server: Socket): void {
    const pair: Pair = { client, server, tail: Promise.resolve() };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
    }
    client.on("close", () => {
      this.#pairs.delete(pair);
      server.destroy();
      this.#happened();
    });
    server.on("end", () => void pair.tail.then(() => client.end()));
    readLines(client, (line) => this.#fromClient(pair, line));
    readLines(server, (line) => {
      pair.tail = pair.tail.then(async () => this.#toClient(pair, line));
    });
  }

  #fromClient({ client, server }: Pair, line: string): void {
    const token = /^PONG :?(proxy-\d+)/.exec(line)?.[1];
    if (token !== undefined) this.#pongs.add(token);
    else if (line.startsWith("PRIVMSG ")) {
      this.sendRequests += 1;
      const fault = this.#fault;
      this.#fault = undefined;
      if (fault === "held") this.#gate = Promise.withResolvers();
      if (fault !== "dropped") server.write(`${line}\r\n`, "latin1");
      if (fault === "answer-lost" || fault === "dropped") client.destroy();
    } else server.write(`${line}\r\n`, "latin1");
    this.#happened();
  }

  async #toClient({ client }: Pair, line: string): Promise<void> {
    await this.#gate.promise;
    this.passed = line;
    if (/^:\S+ PONG /.test(line)) await this.#beforePong();
    if (/^:\S+ 001 /.test(line)) this.registrations += 1;
    if (!client.destroyed) client.write(`${line}\r\n`, "latin1");
    this.#happened();
  }

  #happened(): void {
    for (const check of this.#watchers) check();
  }
}

function readLines(socket: Socket, handle: (line: string) => void): void {
  let pending = "";
  socket.on("data", (chunk: Buffer) => {
    const parts = (pending + chunk.toString("latin1")).split("\r\n");
    pending = parts.pop() ?? "";
    for (const line of parts) handle(line);
  });
}
