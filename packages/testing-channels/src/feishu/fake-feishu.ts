import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { FeishuApi } from "./api.ts";
import type { FakeUpload } from "./api.ts";
import type { FakeFeishuOptions } from "./app.ts";
import { fakeFeishuApp } from "./app.ts";
import type { FakeFeishuApp } from "./app.ts";
import { pressEvent } from "./cards.ts";
import type { FeishuPress } from "./cards.ts";
import type { FeishuEnvelope } from "./events.ts";
import type { FeishuFault } from "./faults.ts";
import { parseForm } from "./form.ts";
import { FeishuLongConnection } from "./long-connection.ts";
import type { InboundMessage, SentMessage } from "./message-store.ts";

/** One received API request. */
export interface FeishuRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: unknown;
  readonly atMs: number;
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const KEEP_ALIVE_MS = 600_000;

/**
 * A Feishu server on a loopback port: tenant tokens, bot info, sending, replying, editing, recalling, reactions, resources, and the long connection. It is
 * strict: what the platform refuses is refused with the platform's code. `webhookRequest` makes webhooks; received requests are kept in `requests`.
 */
export class FakeFeishu implements AsyncDisposable {
  readonly app: FakeFeishuApp;
  readonly longConnection: FeishuLongConnection;
  readonly requests: FeishuRequest[] = [];
  /** Awaited before a request is handled. */
  intercept: (request: FeishuRequest) => Promise<void> = async () => undefined;
  readonly #api: FeishuApi;
  readonly #server: Server;
  readonly #held = new Set<ServerResponse>();
  readonly #watchers: (() => void)[] = [];
  readonly #waiting: { matches: (request: FeishuRequest) => boolean; resolve: (request: FeishuRequest) => void }[] = [];

  private constructor(options: FakeFeishuOptions) {
    this.app = fakeFeishuApp(options);
    this.#api = new FeishuApi(this.app);
    this.longConnection = new FeishuLongConnection(this.app);
    // A client that reuses an idle connection must never race with the server closing it.
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error("failed", { cause: error })),
      );
    });
    this.#server.on("upgrade", (request, socket, head) => this.longConnection.upgrade(request, socket, head));
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeFeishuOptions = {}): Promise<FakeFeishu> {
    const fake = new FakeFeishu(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fake.#server.once("error", reject);
    fake.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    fake.longConnection.address = `127.0.0.1:${fake.port}`;
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The base address for an SDK. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Messages that the platform accepted, oldest first, in their current form. */
  get sent(): readonly SentMessage[] {
    return this.#api.messages.all;
  }

  /** Files that the bot has uploaded, by the key that its messages name. */
  get uploads(): ReadonlyMap<string, FakeUpload> {
    return this.#api.uploads;
  }

  /** Ids of pinned messages. */
  get pinned(): ReadonlySet<string> {
    return new Set(this.#api.pins.keys());
  }

  /** The number of issued tenant tokens. */
  get tokensIssued(): number {
    return this.#api.tokens.issued;
  }

  /** Revokes all issued tokens. */
  revokeTokens(): void {
    this.#api.tokens.revoke();
  }

  /** Changes the app's secret, as its console does: the old one and its tokens are refused from now on. */
  rotateSecret(appSecret: string): void {
    Object.assign(this.app, { appSecret });
    this.revokeTokens();
  }

  /** Makes the next message request (send, reply, edit, recall) fail; several queue up. */
  failNext(fault: FeishuFault): void {
    this.#api.faults.push(fault);
  }

  /** Makes the next request that reads chats, members or messages fail; several queue up. */
  failNextRead(fault: FeishuFault): void {
    this.#api.readFaults.push(fault);
  }

  /** Answers every message request that a `hold` fault holds back. */
  release(): void {
    this.#api.releaseHeld();
  }

  /** Puts a message of a person into a chat, so that it can be replied to; `messageEvent` makes its event. */
  addInbound(message: InboundMessage): void {
    this.#api.messages.addInbound(message);
  }

  /** The callback for a press of a button on a card that the bot sent; deliver it like an event. */
  press(messageId: string, press: FeishuPress): FeishuEnvelope {
    const message = this.#api.messages.find(messageId);
    if (message === undefined || message.deleted) throw new Error(`there is no message ${messageId}`);
    return pressEvent(this.app, message, press);
  }

  /** Attaches a file to a message. */
  addResource(resource: {
    readonly messageId: string;
    readonly fileKey: string;
    readonly contentType: string;
    readonly fileName: string;
    readonly bytes: Uint8Array;
  }): void {
    this.#api.resources.set(`${resource.messageId}/${resource.fileKey}`, resource);
  }

  /** Resolves with the next matching request, or with an earlier one. */
  async request(matches: (request: FeishuRequest) => boolean): Promise<FeishuRequest> {
    const earlier = this.requests.find(matches);
    if (earlier !== undefined) return earlier;
    const { promise, resolve } = Promise.withResolvers<FeishuRequest>();
    this.#waiting.push({ matches, resolve });
    return promise;
  }

  /** Calls `listener` after each handled request, including refused and broken ones: `sent` has its effect. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  /** Closes idle connections, so that an idle client holds none. A request that is being sent at that moment fails. */
  closeIdleConnections(): void {
    this.#server.closeIdleConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.longConnection.close();
    for (const response of this.#held) response.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.app.keepsConnections) response.shouldKeepAlive = false;
    this.#held.add(response);
    response.once("close", () => this.#held.delete(response));
    const url = new URL(request.url ?? "/", this.baseUrl);
    const text = await readBody(request);
    const entry: FeishuRequest = { method: request.method ?? "GET", path: url.pathname, body: parseJson(text), atMs: this.app.now() };
    this.requests.push(entry);
    for (const waiting of this.#waiting.filter(({ matches }) => matches(entry))) waiting.resolve(entry);
    try {
      await this.intercept(entry);
      if (url.pathname === "/callback/ws/endpoint") this.longConnection.endpoint(entry.body, response);
      else
        await this.#api.handle(
          {
            ...entry,
            form: await parseForm(text, request.headers["content-type"] ?? ""),
            query: url.searchParams,
            authorization: request.headers.authorization ?? "",
            bytes: text.length,
          },
          response,
        );
    } finally {
      for (const listener of this.#watchers) listener();
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error("body too large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parseJson(text: Buffer): unknown {
  if (text.length === 0) return undefined;
  try {
    return JSON.parse(text.toString("utf8"));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
