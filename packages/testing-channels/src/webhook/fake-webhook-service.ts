import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** The fault of the next message request. */
export type WebhookServiceFault =
  | { readonly type: "rate-limited"; readonly delayMs: number }
  | { readonly type: "server-error" | "forbidden" | "answer-lost" | "answer-unreadable" | "held" };

/** A message as the service shows it. */
export interface WebhookServiceMessage {
  readonly id: string;
  readonly conversation: { readonly id: string; readonly kind: string; readonly thread?: string };
  readonly text: string;
  readonly replyTo?: string;
  readonly attachments?: readonly {
    readonly name?: string;
    readonly data: string;
    readonly kind: string;
    readonly mimeType: string;
    readonly voice?: boolean;
  }[];
}

/** A service that posts and takes messages as `docs/webhook.md` describes it; signatures are those of the reference library. */
export class FakeWebhookService implements AsyncDisposable {
  readonly secret: string = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  readonly received: WebhookServiceMessage[] = [];
  readonly files: Map<string, Uint8Array> = new Map();
  /** Message requests that have arrived, good and bad. */
  sendRequests = 0;
  pings = 0;
  /** Bytes that answers have besides. */
  answerBytes = 0;
  /** False: answers do not name the message. */
  givesIds = true;
  readonly #webhook = new Webhook(this.secret);
  readonly #chats = new Set(["alice", "bob", "carol", "ada", "room", "hall"]);
  readonly #ids = new Map<string, string>();
  readonly #server: Server;
  #fault: WebhookServiceFault | undefined;
  #held: (() => void)[] = [];
  #watchers: { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  }

  static async start(): Promise<FakeWebhookService> {
    const service = new FakeWebhookService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get outboundUrl(): string {
    return `${this.url}/factotum`;
  }

  /** A signed request to an account's address. */
  sign(
    body: Uint8Array,
    id: string,
    { date = new Date(), secret = this.secret }: { readonly date?: Date; readonly secret?: string } = {},
  ): Record<string, string> {
    return {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(date.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, date, Buffer.from(body).toString("utf8")),
    };
  }

  failNextSend(fault: WebhookServiceFault): void {
    this.#fault = fault;
  }

  /** Answers held requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  sendRequested(count: number): Promise<void> {
    return this.#until(() => this.sendRequests >= count);
  }

  /** Resolves once `condition` is true for the messages that it got. */
  async shown(condition: (received: readonly WebhookServiceMessage[]) => boolean): Promise<readonly WebhookServiceMessage[]> {
    await this.#until(() => condition(this.received));
    return this.received;
  }

  /** Calls `listener` after each request. */
  watch(listener: () => void): void {
    this.#watchers.push({ isDone: () => true, resolve: listener });
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
    const body = Buffer.concat(chunks).toString("utf8");
    const reply = (status: number, answer: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers }).end(JSON.stringify(answer));
    };
    const genuine = this.#isGenuine(request, body);
    if (request.method === "GET") {
      const file = this.files.get(request.url ?? "");
      if (!genuine || file === undefined) return reply(genuine ? 404 : 401, {});
      return void response.writeHead(200, { "content-type": "application/octet-stream", connection: "close" }).end(file);
    }
    const content = JSON.parse(body) as { readonly type: string } & Omit<WebhookServiceMessage, "id">;
    if (content.type === "message") this.sendRequests += 1;
    this.#notify();
    if (!genuine) return reply(401, { error: "unauthorized", message: "the signature is wrong" });
    if (content.type === "ping") {
      this.pings += 1;
      return reply(200, {});
    }
    this.#take(content, String(request.headers["webhook-id"]), {
      reply,
      drop: () => void response.destroy(),
      garble: () => void response.writeHead(200, { "content-type": "text/html", connection: "close" }).end("<html></html>"),
    });
  }

  #take(
    content: Omit<WebhookServiceMessage, "id">,
    key: string,
    {
      reply,
      drop,
      garble,
    }: {
      readonly reply: (status: number, answer: object, headers?: Record<string, string>) => void;
      readonly drop: () => void;
      readonly garble: () => void;
    },
  ): void {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault?.type === "rate-limited") return reply(429, {}, { "retry-after": String(fault.delayMs / 1_000) });
    if (fault?.type === "server-error") return reply(500, {});
    if (fault?.type === "forbidden") return reply(403, { error: "forbidden" });
    if (!this.#chats.has(content.conversation.id)) return reply(404, { error: "not-found" });
    const { conversation, text, replyTo, attachments } = content;
    const id = this.#ids.get(key) ?? `m_${this.received.length + 1}`;
    if (!this.#ids.has(key)) {
      this.#ids.set(key, id);
      this.received.push({
        id,
        conversation,
        text,
        ...(replyTo !== undefined && { replyTo }),
        ...(attachments !== undefined && { attachments }),
      });
      this.#notify();
    }
    const answer = { ...(this.givesIds && { id }), ...(this.answerBytes > 0 && { more: "x".repeat(this.answerBytes) }) };
    if (fault?.type === "answer-lost") return drop();
    if (fault?.type === "answer-unreadable") return garble();
    if (fault?.type === "held") return void this.#held.push(() => reply(200, answer));
    reply(200, answer);
  }

  #isGenuine(request: IncomingMessage, body: string): boolean {
    try {
      this.#webhook.verify(body, request.headers as Record<string, string>);
      return true;
    } catch {
      // `verify` also parses the body, which a GET does not have: then the signature was right.
      return (
        request.method === "GET" &&
        this.#webhook.sign(String(request.headers["webhook-id"]), new Date(Number(request.headers["webhook-timestamp"]) * 1_000), body) ===
          request.headers["webhook-signature"]
      );
    }
  }

  async #until(isDone: () => boolean): Promise<void> {
    if (!isDone()) await new Promise<void>((resolve) => this.#watchers.push({ isDone, resolve }));
  }

  #notify(): void {
    for (const { isDone, resolve } of this.#watchers) if (isDone()) resolve();
  }
}
