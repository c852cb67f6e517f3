import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeServer } from "../fake-server.ts";
import { fakeTelegramApp } from "./app.ts";
import type { FakeTelegramApp, FakeTelegramOptions } from "./app.ts";
import { parseFields } from "./fields.ts";
import type { TelegramFields } from "./fields.ts";
import { TelegramMessageStore } from "./message-store.ts";
import type { TelegramFile, TelegramMessage, TelegramMessageInput } from "./message-store.ts";
import { TELEGRAM_METHODS, unauthorized } from "./methods.ts";
import { TelegramRefusal } from "./refusal.ts";
import type { TelegramFault } from "./refusal.ts";
import type { TelegramMethod, TelegramMethodContext } from "./request-parts.ts";
import { TelegramUpdateQueue } from "./update-queue.ts";

/** One received request of the Bot API, or a download. */
export interface TelegramRequest {
  /** The method, or the path of a file. */
  readonly method: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly isChange: boolean;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * A Bot API server on a loopback port: methods, uploads, downloads, long polling and the registration of a webhook. It is strict: what the platform refuses is
 * refused with the platform's words. Requests of the platform to a webhook are made by `telegramWebhookRequest`.
 */
export class FakeTelegram extends FakeServer<TelegramRequest, TelegramFault> {
  readonly app: FakeTelegramApp;
  readonly store: TelegramMessageStore;
  readonly updates: TelegramUpdateQueue;
  readonly #context: TelegramMethodContext;
  #updateCount = 700_000_000;
  #pressCount = 0;

  private constructor(options: FakeTelegramOptions) {
    super({ maxBodyBytes: MAX_BODY_BYTES });
    this.app = fakeTelegramApp(options);
    this.store = new TelegramMessageStore(this.app);
    this.updates = new TelegramUpdateQueue(this.app);
    this.#context = { app: this.app, store: this.store, pressAnswers: new Map(), pressed: new Set(), typing: [] };
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
    const fake = new FakeTelegram(options);
    await fake.listen();
    return fake;
  }

  /** Messages of the bot, oldest first, in their current form. */
  get sent(): readonly TelegramMessage[] {
    return this.store.messages.filter(({ fromId, kind }) => fromId === this.app.bot.id && kind !== "topic");
  }

  /** Texts shown to people who pressed a button, by the id of the press. */
  get pressAnswers(): ReadonlyMap<string, string> {
    return this.#context.pressAnswers;
  }

  /** Signs of typing. */
  get typing(): TelegramMethodContext["typing"] {
    return this.#context.typing;
  }

  /** Counts the updates of the bot. */
  readonly nextUpdateId = (): number => {
    this.#updateCount += 1;
    return this.#updateCount;
  };

  /** The id of a new press, which waits for its answer. */
  readonly press = (): string => {
    this.#pressCount += 1;
    const id = `43721${this.#pressCount}`;
    this.#context.pressed.add(id);
    return id;
  };

  /** Puts a message into a chat; `telegramMessageUpdate` makes its update. */
  addMessage(message: TelegramMessageInput): TelegramMessage {
    return this.store.add(message);
  }

  /** Puts a file on the platform, to be named in a message. */
  addFile(file: Omit<TelegramFile, "id">): TelegramFile {
    return this.store.addFile(file);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.updates.drop();
    await super[Symbol.asyncDispose]();
  }

  protected override async handle(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? "/").split("?", 1)[0] ?? "");
    const [, file, token = "", rest = ""] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(path) ?? [];
    const fields = parseFields(body, request.headers["content-type"] ?? "");
    const entry: TelegramRequest = { method: rest, values: fields.values, isChange: this.#methodOf(rest)?.isChange === true };
    this.record(entry);
    try {
      if (file !== undefined) this.#download(token, rest, response);
      else await this.#api({ token, name: rest, fields }, response);
    } catch (error) {
      if (!(error instanceof TelegramRefusal)) throw error;
      this.#refuse(response, error);
    }
  }

  async #api(
    { token, name, fields }: { readonly token: string; readonly name: string; readonly fields: TelegramFields },
    response: ServerResponse,
  ): Promise<void> {
    const method = this.#methodOf(name);
    const fault = method?.isChange === true ? this.faults.changes.shift() : this.faults.reads.shift();
    if (fault?.type === "drop") return void response.destroy();
    if (fault?.type === "http") return void response.writeHead(fault.status, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "garbage") return this.answerGarbage(response);
    if (fault?.type === "rate-limit") {
      const wait = { retry_after: fault.seconds };
      throw new TelegramRefusal(429, `Too Many Requests: retry after ${fault.seconds}`, wait);
    }
    if (fault?.type === "refuse") throw new TelegramRefusal(fault.code, fault.description);
    if (!/^\d+:[\w-]{30,}$/.test(token)) throw new TelegramRefusal(404, "Not Found");
    if (token !== this.app.token) throw unauthorized();
    if (name === "getMe") this.updates.recordRestart();
    if (name === "getUpdates") return this.#getUpdates(fields, response);
    if (method === undefined) throw new TelegramRefusal(404, "Not Found: method not found");
    const result = method.call(fields, this.#context);
    if (fault?.type === "accept-then-drop") return void response.destroy();
    if (fault?.type === "accept-then-garbage") return this.answerGarbage(response);
    if (fault?.type === "hold") await this.faults.hold();
    answer(response, 200, { ok: true, result });
  }

  #methodOf(name: string): TelegramMethod | undefined {
    return name === "sendRichMessage" && !this.app.hasRichMessages ? undefined : TELEGRAM_METHODS[name];
  }

  #getUpdates(fields: TelegramFields, response: ServerResponse): void {
    if (this.app.webhook !== undefined) {
      const conflict = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      throw new TelegramRefusal(409, conflict);
    }
    const allowed = fields.json("allowed_updates") as readonly string[] | undefined;
    if (allowed !== undefined) this.app.allowedUpdates = allowed;
    const poll = {
      offset: fields.number("offset"),
      limit: fields.number("limit") ?? 100,
      answer: (updates: readonly unknown[]) => answer(response, 200, { ok: true, result: updates }),
      fail: (error: Error) => this.#refuse(response, error as TelegramRefusal),
      drop: () => void response.destroy(),
    };
    response.once("close", () => this.updates.forget(poll));
    this.updates.poll(poll, (fields.number("timeout") ?? 0) * 1_000);
  }

  #download(token: string, path: string, response: ServerResponse): void {
    const file = this.store.files.get(path.replace(/^documents\//, ""));
    if (token !== this.app.token || file === undefined) throw new TelegramRefusal(404, "Not Found");
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(file.bytes);
  }

  #refuse(response: ServerResponse, { code, message, parameters }: TelegramRefusal): void {
    answer(response, code, { ok: false, error_code: code, description: message, ...(parameters !== undefined && { parameters }) });
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
