import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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
const KEEP_ALIVE_MS = 600_000;

/**
 * A Discord server on a loopback port: the gateway, the REST API with uploads, downloads, and interactions. It is strict: what the platform refuses is refused
 * with the platform's codes.
 */
export class FakeDiscord implements AsyncDisposable {
  readonly app: FakeDiscordApp;
  readonly gateway: DiscordGateway;
  readonly store: DiscordMessageStore;
  readonly interactions: DiscordInteractions;
  readonly requests: DiscordRequest[] = [];
  readonly #context: DiscordRouteContext;
  readonly #server: Server;
  readonly #faults: DiscordFault[] = [];
  readonly #readFaults: DiscordFault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #watchers: (() => void)[] = [];
  readonly #waiting: { readonly matches: (request: DiscordRequest) => boolean; readonly resolve: (request: DiscordRequest) => void }[] = [];

  private constructor(options: FakeDiscordOptions) {
    this.app = fakeDiscordApp(options);
    this.gateway = new DiscordGateway(this.app);
    this.store = new DiscordMessageStore(this.app);
    this.interactions = new DiscordInteractions(this.app, this.store);
    this.#context = { app: this.app, store: this.store, interactions: this.interactions, address: () => this.baseUrl, typing: [] };
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error("failed", { cause: error })),
      );
    });
    this.#server.on("upgrade", (request, socket, head) => this.gateway.upgrade(request, socket, head));
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
    const fake = new FakeDiscord(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fake.#server.once("error", reject);
    fake.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    fake.gateway.address = `127.0.0.1:${(fake.#server.address() as AddressInfo).port}`;
    return fake;
  }

  /** The address to configure in place of the platform's. */
  get baseUrl(): string {
    return `http://${this.gateway.address}`;
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

  /** Makes the next request that shows, changes or removes a message fail; several queue up. */
  failNext(fault: DiscordFault): void {
    this.#faults.push(fault);
  }

  /** Makes the next other request fail; several queue up. */
  failNextRead(fault: DiscordFault): void {
    this.#readFaults.push(fault);
  }

  /** Answers every request that a `hold` fault holds back. */
  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  /** Resolves with the next matching request, or with an earlier one. */
  async request(matches: (request: DiscordRequest) => boolean): Promise<DiscordRequest> {
    const earlier = this.requests.find(matches);
    if (earlier !== undefined) return earlier;
    const { promise, resolve } = Promise.withResolvers<DiscordRequest>();
    this.#waiting.push({ matches, resolve });
    return promise;
  }

  /** Calls `listener` after each handled request. */
  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.gateway.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  #place(message: DiscordMessage): object {
    return this.#isDirect(message) ? {} : { guild_id: this.app.guild.id };
  }

  #isDirect({ channelId }: DiscordMessage): boolean {
    return this.app.channels.get(channelId)?.type === 1;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.baseUrl);
    const bytes = await readBody(request);
    const body = await parseBody(bytes, request.headers["content-type"] ?? "");
    const path = pathname.replace(/^\/api\/v10/, "").replaceAll("%40", "@");
    const method = request.method ?? "GET";
    const found = DISCORD_ROUTES.find((one) => one.method === method && one.path.test(path));
    const entry: DiscordRequest = { method, path, json: body.json, isChange: found?.isChange === true };
    this.requests.push(entry);
    for (const waiting of this.#waiting.filter(({ matches }) => matches(entry))) waiting.resolve(entry);
    try {
      if (pathname.startsWith("/attachments/")) return this.#download(pathname, response);
      if (found === undefined || path === pathname) throw new DiscordRefusal(404, 0, "404: Not Found");
      const keys = found.path.exec(path)?.slice(1) ?? [];
      await this.#api(found, { keys, query: searchParams, body }, request, response);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      const { status, code, message, errors } = error;
      answer(response, status, { message, code, ...(errors !== undefined && { errors }) });
    } finally {
      for (const listener of this.#watchers) listener();
    }
  }

  async #api(
    route: DiscordRoute,
    parts: Parameters<DiscordRoute["call"]>[0],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const fault = route.isChange === true ? this.#faults.shift() : this.#readFaults.shift();
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
    if (fault?.type === "hold") await new Promise<void>((resolve) => this.#held.push(resolve));
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

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new DiscordRefusal(413, 40_005, "Request entity too large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}
