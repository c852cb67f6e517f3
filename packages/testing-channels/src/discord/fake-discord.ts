import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeServer } from "../fake-server.ts";
import { asDiscordMember, fakeDiscordApp } from "./app.ts";
import type { FakeDiscordApp, FakeDiscordOptions } from "./app.ts";
import { parseBody } from "./checks.ts";
import { DiscordGateway } from "./gateway.ts";
import { DiscordInteractions } from "./interactions.ts";
import { asDiscordMessage, DiscordMessageStore } from "./message-store.ts";
import type { DiscordFile, DiscordMessage, DiscordMessageInput } from "./message-store.ts";
import { DiscordRefusal, unauthorized } from "./refusal.ts";
import type { DiscordFault } from "./refusal.ts";
import { DISCORD_ROUTES, reactionData } from "./routes.ts";
import type { DiscordRoute, DiscordRouteContext } from "./routes.ts";

/** One received request. */
export interface DiscordRequest {
  readonly method: string;
  /** Below `/api/v10`. */
  readonly path: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly isChange: boolean;
}

const MAX_BODY_BYTES = 128 * 1024 * 1024;

/**
 * A Discord server on a loopback port: the gateway, the REST API with uploads, downloads, and interactions. It is strict: what the platform refuses is refused
 * with the platform's codes.
 */
export class FakeDiscord extends FakeServer<DiscordRequest, DiscordFault> {
  readonly app: FakeDiscordApp;
  readonly gateway: DiscordGateway;
  readonly store: DiscordMessageStore;
  readonly interactions: DiscordInteractions;
  readonly #context: DiscordRouteContext;

  private constructor(options: FakeDiscordOptions) {
    super({ maxBodyBytes: MAX_BODY_BYTES });
    this.app = fakeDiscordApp(options);
    this.gateway = new DiscordGateway(this.app);
    this.store = new DiscordMessageStore(this.app);
    this.interactions = new DiscordInteractions(this.app, this.store);
    this.#context = { app: this.app, store: this.store, interactions: this.interactions, address: () => this.baseUrl, typing: [] };
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
    const fake = new FakeDiscord(options);
    await fake.listen(fake.gateway);
    return fake;
  }

  /** Messages of the bot, oldest first, in their current form. */
  get sent(): readonly DiscordMessage[] {
    return this.store.messages.filter(({ authorId }) => authorId === this.app.bot.id);
  }

  /** Channels in which the bot showed that it writes. */
  get typing(): readonly string[] {
    return this.#context.typing;
  }

  /** Puts a message into a channel; `messageData` makes the data of its events. */
  addMessage(message: DiscordMessageInput): DiscordMessage {
    return this.store.add(message);
  }

  /** Puts a file on the platform, to be named in a message. */
  addFile(file: Omit<DiscordFile, "id">): DiscordFile {
    return { id: this.app.nextId(), ...file };
  }

  /** The data of the events MESSAGE_CREATE and MESSAGE_UPDATE. Without the answered message a client has to ask for it. */
  messageData(
    message: DiscordMessage,
    { withAnswered = true }: { readonly withAnswered?: boolean } = {},
  ): Readonly<Record<string, unknown>> {
    const data = asDiscordMessage(this.app, this.store, message, { address: this.baseUrl, withAnswered });
    return { ...data, ...this.#place(message), ...(!this.#isDirect(message) && { member: asDiscordMember(this.app, message.authorId) }) };
  }

  /** The data of MESSAGE_DELETE. */
  deleteData(message: DiscordMessage): Readonly<Record<string, unknown>> {
    return { id: message.id, channel_id: message.channelId, ...this.#place(message) };
  }

  /** The data of MESSAGE_REACTION_ADD and MESSAGE_REACTION_REMOVE. */
  reactionData(message: DiscordMessage, reaction: { readonly userId: string; readonly emoji: string }): Readonly<Record<string, unknown>> {
    return reactionData(this.#context, message, reaction);
  }

  /** The data of MESSAGE_POLL_VOTE_ADD and MESSAGE_POLL_VOTE_REMOVE; answers are numbered from 1. */
  voteData(
    message: DiscordMessage,
    { userId, answer }: { readonly userId: string; readonly answer: number },
  ): Readonly<Record<string, unknown>> {
    return { user_id: userId, channel_id: message.channelId, message_id: message.id, answer_id: answer, ...this.#place(message) };
  }

  #place(message: DiscordMessage): object {
    return this.#isDirect(message) ? {} : { guild_id: this.app.guild.id };
  }

  #isDirect({ channelId }: DiscordMessage): boolean {
    return this.app.channels.get(channelId)?.type === 1;
  }

  protected override async handle(request: IncomingMessage, bytes: Buffer, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.baseUrl);
    const body = await parseBody(bytes, request.headers["content-type"] ?? "");
    const path = pathname.replace(/^\/api\/v10/, "").replaceAll("%40", "@");
    const method = request.method ?? "GET";
    const found = DISCORD_ROUTES.find((one) => one.method === method && one.path.test(path));
    const entry: DiscordRequest = { method, path, json: body.json, isChange: found?.isChange === true };
    this.record(entry);
    try {
      if (pathname.startsWith("/attachments/")) return this.#download(pathname, response);
      if (found === undefined || path === pathname) throw new DiscordRefusal(404, 0, "404: Not Found");
      const keys = found.path.exec(path)?.slice(1) ?? [];
      await this.#api(found, { keys, query: searchParams, body }, request, response);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      const { status, code, message, errors } = error;
      answer(response, status, { message, code, ...(errors !== undefined && { errors }) });
    }
  }

  async #api(
    route: DiscordRoute,
    parts: Parameters<DiscordRoute["call"]>[0],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const fault = route.isChange === true ? this.faults.changes.shift() : this.faults.reads.shift();
    if (fault?.type === "drop") return void response.destroy();
    if (fault?.type === "http") return void response.writeHead(fault.status, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "rate-limit") {
      const limited = { message: "You are being rate limited.", retry_after: fault.seconds, global: false };
      return answer(response, 429, limited, { "retry-after": String(Math.ceil(fault.seconds)), "x-ratelimit-scope": "user" });
    }
    if (fault?.type === "refuse") throw new DiscordRefusal(fault.status, fault.code, fault.message);
    if (route.isOpen !== true && request.headers.authorization !== `Bot ${this.app.token}`) throw unauthorized();
    const result = route.call(parts, this.#context);
    if (fault?.type === "accept-then-drop") return void response.destroy();
    if (fault?.type === "accept-then-garbage") return this.answerGarbage(response);
    if (fault?.type === "hold") await this.faults.hold();
    if (result === undefined) response.writeHead(204).end();
    else answer(response, 200, result as object);
  }

  #download(pathname: string, response: ServerResponse): void {
    const [, , , id = ""] = pathname.split("/");
    const file = this.store.messages.flatMap(({ files }) => files).find((one) => one.id === id);
    if (file === undefined) throw new DiscordRefusal(404, 0, "404: Not Found");
    response.writeHead(200, { "content-type": file.mimeType }).end(file.bytes);
  }
}

function answer(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
