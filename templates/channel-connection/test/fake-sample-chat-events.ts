import { WebSocketServer, type WebSocket } from "ws";
import { FakeSampleChat } from "./fake-sample-chat.ts";

/** The platform with its connections. */
export class FakeSampleChatEvents extends FakeSampleChat {
  /** Connections that have logged in since the start. */
  connections = 0;
  readonly #clients = new Set<WebSocket>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  #waits: { count: number; resolve: () => void }[] = [];

  static override async start(): Promise<FakeSampleChatEvents> {
    const fake = new FakeSampleChatEvents();
    fake.server.on("upgrade", (request, socket, head) => {
      if (request.url !== "/v1/events") return void socket.destroy();
      fake.#sockets.handleUpgrade(request, socket, head, (client) => fake.#connect(client));
    });
    await fake.listen();
    return fake;
  }

  get open(): number {
    return this.#clients.size;
  }

  send(data: string): void {
    for (const client of this.#clients) client.send(data);
  }

  async connected(count: number): Promise<void> {
    if (this.connections >= count) return;
    await new Promise<void>((resolve) => this.#waits.push({ count, resolve }));
  }

  disconnect(): void {
    for (const client of this.#sockets.clients) client.terminate();
    this.#clients.clear();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.disconnect();
    await super[Symbol.asyncDispose]();
  }

  #connect(client: WebSocket): void {
    client.on("close", () => this.#clients.delete(client));
    client.on("message", (data: Buffer) => {
      const { type, token } = JSON.parse(data.toString("utf8")) as { type: string; token?: string };
      if (type === "ping") return client.send(JSON.stringify({ type: "pong" }));
      if (token !== this.token) return client.close(4001, "bad token");
      this.#clients.add(client);
      client.send(JSON.stringify({ type: "hello" }));
      this.connections += 1;
      for (const { count, resolve } of this.#waits) if (this.connections >= count) resolve();
    });
  }
}
