import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SendFault } from "@factotum/channel-conformance";

/** A message as the platform shows it. */
export interface SentMessage {
  readonly id: string;
  readonly chatId: string;
  readonly text: string;
  readonly replyTo?: string;
}

/** Sample Chat on loopback: its API, as strict as the platform is. */
export class FakeSampleChat implements AsyncDisposable {
  readonly token = "sample-chat-token";
  readonly botId = "bot_1";
  readonly sent: SentMessage[] = [];
  /** Send requests that have arrived, good and bad. */
  sendRequests = 0;
  readonly #chats = new Set(["dm_alice", "room_1"]);
  readonly #keys = new Map<string, string>();
  readonly #server: Server;
  #fault: SendFault | undefined;
  #held: (() => void)[] = [];
  #watchers: { count: number; resolve: () => void }[] = [];

  protected constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  }

  static async start(): Promise<FakeSampleChat> {
    const fake = new FakeSampleChat();
    await fake.listen();
    return fake;
  }

  protected async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** The server, for what a transport adds. */
  protected get server(): Server {
    return this.#server;
  }

  /** Answers a request of the transport; false for all others. */
  protected answerEvents(_request: IncomingMessage, _response: ServerResponse): boolean {
    return false;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  failNextSend(fault: SendFault): void {
    this.#fault = fault;
  }

  /** Answers held requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  async sendRequested(count: number): Promise<void> {
    if (this.sendRequests >= count) return;
    await new Promise<void>((resolve) => this.#watchers.push({ count, resolve }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = (status: number, body: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers }).end(JSON.stringify(body));
    };
    const chatId = /^\/v1\/chats\/([^/]+)\/messages$/.exec(request.url ?? "")?.[1];
    if (chatId !== undefined) this.#count();
    if (request.headers.authorization !== `Bearer ${this.token}`) return reply(401, { error: "bad-token" });
    if (this.answerEvents(request, response)) return;
    if (request.method === "GET" && request.url === "/v1/me") return reply(200, { id: this.botId });
    if (request.method !== "POST" || chatId === undefined) return reply(404, { error: "no-such-path" });
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault?.type === "rate-limited") return reply(429, { error: "slow-down" }, { "retry-after": String(fault.delayMs / 1_000) });
    if (fault?.type === "server-error") return reply(500, { error: "trouble" });
    if (fault?.type === "forbidden") return reply(403, { error: "not-in-chat" });
    if (!this.#chats.has(decodeURIComponent(chatId))) return reply(404, { error: "no-such-chat" });
    const id = this.#show(decodeURIComponent(chatId), Buffer.concat(chunks).toString("utf8"), String(request.headers["idempotency-key"]));
    if (id === undefined) return reply(400, { error: "bad-message" });
    if (fault?.type === "answer-lost") return void response.destroy();
    if (fault?.type === "answer-unreadable") return void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "held") return void this.#held.push(() => reply(200, { id }));
    reply(200, { id });
  }

  /** Shows a message once per key; `undefined` for one that the platform would refuse. */
  #show(chatId: string, json: string, key: string): string | undefined {
    const { text, reply_to: replyTo } = JSON.parse(json) as { text?: unknown; reply_to?: string };
    if (typeof text !== "string" || text === "" || text.length > 4_000 || key === "" || key.length > 64) return undefined;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const id = `m_${this.sent.length + 1}`;
    this.#keys.set(key, id);
    this.sent.push({ id, chatId, text, ...(replyTo !== undefined && { replyTo }) });
    return id;
  }

  #count(): void {
    this.sendRequests += 1;
    for (const { count, resolve } of this.#watchers) if (this.sendRequests >= count) resolve();
  }
}
