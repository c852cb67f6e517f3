import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeServer } from "../fake-server.ts";
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

/**
 * A Feishu server on a loopback port: tenant tokens, bot info, sending, replying, editing, recalling, reactions, resources, and the long connection. It is
 * strict: what the platform refuses is refused with the platform's code. `webhookRequest` makes webhooks. Only requests that read chats, members or messages take the faults of `failNextRead`.
 */
export class FakeFeishu extends FakeServer<FeishuRequest, FeishuFault> {
  readonly app: FakeFeishuApp;
  readonly longConnection: FeishuLongConnection;
  /** Awaited before a request is handled. */
  intercept: (request: FeishuRequest) => Promise<void> = async () => undefined;
  readonly #api: FeishuApi;

  private constructor(options: FakeFeishuOptions) {
    super({ maxBodyBytes: MAX_BODY_BYTES });
    this.app = fakeFeishuApp(options);
    this.#api = new FeishuApi(this.app, this.faults);
    this.longConnection = new FeishuLongConnection(this.app);
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeFeishuOptions = {}): Promise<FakeFeishu> {
    const fake = new FakeFeishu(options);
    await fake.listen(fake.longConnection);
    return fake;
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

  protected override async handle(request: IncomingMessage, bytes: Buffer, response: ServerResponse): Promise<void> {
    if (!this.app.keepsConnections) response.shouldKeepAlive = false;
    const url = new URL(request.url ?? "/", this.baseUrl);
    const entry: FeishuRequest = { method: request.method ?? "GET", path: url.pathname, body: parseJson(bytes), atMs: this.app.now() };
    this.record(entry);
    await this.intercept(entry);
    if (url.pathname === "/callback/ws/endpoint") return this.longConnection.endpoint(entry.body, response);
    await this.#api.handle(
      {
        ...entry,
        form: await parseForm(bytes, request.headers["content-type"] ?? ""),
        query: url.searchParams,
        authorization: request.headers.authorization ?? "",
        bytes: bytes.length,
      },
      response,
    );
  }
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
