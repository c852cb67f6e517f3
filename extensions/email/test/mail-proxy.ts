import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** What happens to the bytes of one connection. */
export interface ProxyHooks {
  /** Bytes of a client, before they are passed on. False breaks the connection. */
  readonly onRequest?: (bytes: Buffer) => boolean;
  /** Bytes of the server, before they are passed on. False breaks the connection. */
  readonly onAnswer?: (bytes: Buffer) => Promise<boolean>;
}

/** A proxy in front of a server, that makes what the server itself cannot: broken connections and lost or late answers. */
export class MailProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number, connection: () => ProxyHooks): Promise<MailProxy> {
    const server = createServer((client) => {
      const { onRequest = () => true, onAnswer = () => Promise.resolve(true) } = connection();
      const upstream = connect(port, "127.0.0.1");
      const end = (): void => {
        client.destroy();
        upstream.destroy();
      };
      for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
      client.on("data", (bytes: Buffer) => {
        if (onRequest(bytes)) upstream.write(bytes);
        else end();
      });
      // In order: an answer waits for the one before.
      let passing = Promise.resolve();
      upstream.on("data", (bytes: Buffer) => {
        passing = passing.then(async () => {
          if (await onAnswer(bytes)) client.write(bytes);
          else end();
        });
      });
    });
    const proxy = new MailProxy(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.on("connection", (socket: Socket) => {
      proxy.#sockets.add(socket);
      socket.once("close", () => proxy.#sockets.delete(socket));
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#sockets.size;
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.disconnect();
    await closed;
  }
}
