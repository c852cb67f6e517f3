import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ConformanceGateway,
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
  TestPress,
} from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, InboundEvent } from "@factotum/channel-contract";
import { DigitalDiscord } from "discord-digital-twin";

const ALICE = "100000000000000001";
const OTHER_BOT = "100000000000000003";
const GUILD = "800000000000000001";
const TALK = "500000000000000001";
const CHANNEL = "600000000000000001";
const THREAD = "700000000000000001";
const CHANGES = /^(?:POST|PATCH|DELETE|PUT) \/api\/v10\/(?:channels\/\d+\/messages|webhooks\/)/;

/** The inner part of the package that sends events. */
interface TwinServer {
  readonly gateway: {
    broadcast: (name: string, data: unknown) => void;
    readonly clients: readonly {
      readonly ws: { send(bytes: Uint8Array, options: { readonly binary: boolean }): void; terminate(): void };
    }[];
  };
}

interface Dispatched {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Raw {
  /** Makes it happen on the platform, which sends the event. */
  readonly happen: () => Promise<unknown>;
  readonly isIgnored?: boolean;
  /** What the platform sent: the same is sent again when it is delivered again. */
  dispatched?: Promise<Dispatched>;
}

/** The npm package `discord-digital-twin`, a platform that others wrote, behind a proxy that makes its faults. It has no direct chats: a channel stands for one. */
export class TwinPlatform implements ConformancePlatform {
  readonly transport = "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: false,
    // The REST API checks no token, and there is no menu of commands.
    absent: ["credential", "menu"],
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: ALICE, name: "Alice" },
    group: { id: CHANNEL, name: "general" },
  };
  readonly twin: DigitalDiscord;
  readonly #proxy: Server;
  readonly #folder: string;
  readonly #faults: SendFault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #watchers: (() => void)[] = [];
  readonly #shown = new Map<string, ShownMessage>();
  #gateway: ConformanceGateway | undefined;
  #sends = 0;
  #last: Dispatched | undefined;
  #refusesReads = false;
  readonly #typing: string[] = [];

  private constructor(twin: DigitalDiscord, folder: string) {
    this.twin = twin;
    this.#folder = folder;
    this.#proxy = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    const { gateway } = this.#server;
    const broadcast = gateway.broadcast.bind(gateway);
    gateway.broadcast = (name: string, data: unknown) => {
      this.#last = { name, data: data as Readonly<Record<string, unknown>> };
      broadcast(name, data);
    };
  }

  static async start(): Promise<TwinPlatform> {
    // In memory all instances would share one database.
    const folder = await mkdtemp(join(tmpdir(), "factotum-twin-"));
    const twin = new DigitalDiscord({
      dbUrl: `file:${join(folder, "twin.db")}`,
      guild: { id: GUILD, name: "The server" },
      channels: [
        { id: TALK, name: "talk", type: 0 },
        { id: CHANNEL, name: "general", type: 0 },
        { id: THREAD, name: "Plans", type: 11, parentId: CHANNEL },
      ],
      users: [
        { id: ALICE, username: "Alice" },
        { id: OTHER_BOT, username: "other", bot: true },
      ],
    });
    await twin.start();
    const platform = new TwinPlatform(twin, folder);
    await new Promise<void>((resolve) => platform.#proxy.listen(0, "127.0.0.1", resolve));
    return platform;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  get secrets(): readonly string[] {
    return [this.twin.botToken, "test-interaction-token"];
  }

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  event({ text, conversation, sender, isReply }: TestMessage): TestEvent {
    const { twin } = this;
    const channelId = { direct: TALK, group: CHANNEL, thread: THREAD }[conversation];
    const userId = { person: ALICE, self: twin.botUserId, "other-bot": OTHER_BOT }[sender];
    const found: { answered?: string } = {};
    const happen = async (): Promise<unknown> => {
      if (isReply === true) found.answered = await this.#earlier(channelId);
      const reference = found.answered === undefined ? {} : { messageReference: { message_id: found.answered, channel_id: channelId } };
      return twin.simulateUserMessage({ channelId, userId, content: text, ...reference });
    };
    return this.#event({ happen, isIgnored: sender === "self" }, this.target(conversation), found);
  }

  happening(what: TestHappening): TestHappeningEvent {
    const { twin } = this;
    const before = this.event({ text: "before", conversation: "group", sender: "person" });
    const idOf = async (): Promise<string> => String((await (before.raw as Raw).dispatched)?.data["id"]);
    const happenings: { readonly [What in TestHappening]?: () => Promise<unknown> } = {
      edit: async () => twin.simulateUserMessageEdit({ channelId: CHANNEL, messageId: await idOf(), content: "after" }),
      delete: async () => twin.simulateUserMessageDelete({ channelId: CHANNEL, messageId: await idOf() }),
    };
    const happen = happenings[what];
    if (happen === undefined || (what !== "edit" && what !== "delete")) throw new Error(`the package makes no ${what}`);
    return {
      before,
      event: this.#event({ happen }, this.target("group"), {}),
      get expected(): InboundEvent {
        return { type: what, targetId: messageId(before.expected.messageId) };
      },
      ...(what === "edit" && { text: "after" }),
    };
  }

  async deliver(_channel: Channel, { raw }: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    if (fault === "unknown-kind") return this.#ignored(() => this.#server.gateway.broadcast("SOMETHING_NEW", { odd: true }));
    if (fault === "other-account")
      return this.#ignored(() =>
        this.#server.gateway.broadcast("INTERACTION_CREATE", { id: "1", application_id: "1", type: 2, token: "t" }),
      );
    return this.#deliver(raw as Raw);
  }

  async press(_channel: Channel, { messageId: id, label }: TestPress): Promise<DeliveryAnswer> {
    const message = await this.twin.prisma.message.findUniqueOrThrow({ where: { id } });
    const rows = JSON.parse(message.components) as readonly { readonly components: readonly { label: string; custom_id: string }[] }[];
    const button = rows.flatMap(({ components }) => components).find((one) => one.label === label);
    const press = { channelId: message.channelId, userId: ALICE, messageId: id, customId: button?.custom_id ?? "" };
    return this.#deliver({ happen: async () => this.twin.simulateButtonClick(press) });
  }

  typing(): readonly string[] {
    return this.#typing;
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const options = [{ name: "arguments", type: 3, value: argumentsText }];
    const happen = async (): Promise<unknown> => this.twin.simulateSlashCommand({ channelId: TALK, userId: ALICE, name, options });
    return this.#event({ happen }, this.target("direct"), {});
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    for (const { ws } of this.#server.gateway.clients) ws.send(bytes, { binary: false });
    return this.#ignored(() => undefined).then(() => "refused");
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("Discord's channel has no webhook"));
  }

  disconnect(): void {
    for (const { ws } of this.#server.gateway.clients) ws.terminate();
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("the package does not tell"));
  }

  get openConnections(): number {
    return this.#server.gateway.clients.length;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    const id = { direct: TALK, group: CHANNEL, thread: CHANNEL, unknown: "600000000000000999" }[kind];
    return { kind: "channel", id, ...(kind === "thread" && { threadId: THREAD }), spaceId: GUILD };
  }

  get shown(): readonly ShownMessage[] {
    return [...this.#shown.values()];
  }

  get sendRequests(): number {
    return this.#sends;
  }

  async sendRequested(count: number): Promise<void> {
    while (this.#sends < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  failNextSend(fault: SendFault): void {
    this.#faults.push(fault);
  }

  refuseReads(): void {
    this.#refusesReads = true;
  }

  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  async shutDown(): Promise<void> {
    this.release();
    this.#proxy.closeAllConnections();
    await new Promise<void>((resolve) => this.#proxy.close(() => resolve()));
    await this.twin.stop();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutDown();
    await this.twin.prisma.$disconnect();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #server(): TwinServer {
    // The package keeps it to itself.
    const { server } = this.twin as unknown as { readonly server: TwinServer | null };
    if (server === null) throw new Error("the platform is stopped");
    return server;
  }

  /** What the platform has sent is known once it has happened. */
  #event(raw: Raw, conversation: Conversation, found: { readonly answered?: string }): TestEvent {
    const last = (): Readonly<Record<string, unknown>> => this.#sent.get(raw)?.data ?? {};
    const author = (): string => (last()["author"] as { readonly id?: string } | undefined)?.id ?? ALICE;
    return {
      raw,
      expected: {
        conversation,
        get eventId() {
          return String(last()["id"]);
        },
        get messageId() {
          return String(last()["id"]);
        },
        get senderId() {
          return author();
        },
        get timestampMs() {
          return Date.parse(String(last()["edited_timestamp"] ?? last()["timestamp"])) || 0;
        },
        get replyTo() {
          return found.answered ?? "";
        },
        get context() {
          const quoted = found.answered === undefined ? {} : { quoted: "An earlier message" };
          return { senderName: "Alice", subject: "#general", ...quoted };
        },
      },
    };
  }

  readonly #sent = new Map<Raw, Dispatched>();

  async #deliver(raw: Raw): Promise<DeliveryAnswer> {
    if (raw.isIgnored === true) return this.#ignored(raw.happen);
    if (raw.dispatched === undefined) {
      raw.dispatched = raw.happen().then(() => {
        if (this.#last === undefined) throw new Error("nothing was sent");
        this.#sent.set(raw, this.#last);
        return this.#last;
      });
      const { name, data } = await raw.dispatched;
      // The event is on its way through the network.
      return this.#answer(eventIdOf(name, data));
    }
    const { name, data } = await raw.dispatched;
    const answer = this.#answer(eventIdOf(name, data));
    this.#server.gateway.broadcast(name, data);
    return answer;
  }

  async #answer(eventId: string): Promise<DeliveryAnswer> {
    return (await this.#gateway?.passedOn(eventId)) === "failed" ? "unacknowledged" : "acknowledged";
  }

  /** Events are passed on in order: once a later one has arrived, so have those before it. */
  async #ignored(happen: () => unknown): Promise<DeliveryAnswer> {
    await happen();
    const id = String(Date.now());
    this.#gateway?.disregard(id);
    const passed = this.#gateway?.passedOn(id);
    const author = { id: OTHER_BOT, username: "other", bot: true };
    this.#server.gateway.broadcast("MESSAGE_CREATE", {
      id,
      channel_id: TALK,
      guild_id: GUILD,
      author,
      content: "marker",
      timestamp: "2026-01-01T00:00:00.000Z",
      type: 0,
    });
    await passed;
    return "acknowledged";
  }

  async #earlier(channelId: string): Promise<string> {
    const id = `${BigInt(Date.now() - 1_420_070_400_000 - 60_000) << 22n}`;
    await this.twin.prisma.message.create({ data: { id, channelId, authorId: ALICE, content: "An earlier message" } });
    return id;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET" } = request;
    // The package knows the name of the bot itself only as it is written in documents.
    const url = (request.url ?? "/").replaceAll("%40", "@");
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const isChange = CHANGES.test(`${method} ${url}`);
    if (isChange) this.#sends += 1;
    for (const resolve of this.#watchers.splice(0)) resolve();
    const [, typed] = /\/channels\/(\d+)\/typing$/.exec(url) ?? [];
    if (typed !== undefined) this.#typing.push(typed);
    if (!isChange && this.#refusesReads && url.includes("/channels/"))
      return void response.writeHead(403, { "content-type": "application/json" }).end('{"code":50001,"message":"Missing Access"}');
    const fault = isChange ? this.#faults.shift() : undefined;
    if (fault?.type === "rate-limited") {
      const body = JSON.stringify({ message: "You are being rate limited.", retry_after: fault.delayMs / 1_000, global: false });
      return void response.writeHead(429, { "content-type": "application/json" }).end(body);
    }
    if (fault?.type === "server-error") return void response.writeHead(500).end("<html></html>");
    if (fault?.type === "forbidden")
      return void response.writeHead(403, { "content-type": "application/json" }).end('{"code":50013,"message":"Missing Permissions"}');
    const answer = await fetch(`http://127.0.0.1:${this.twin.port}${url}`, {
      method,
      headers: {
        "content-type": request.headers["content-type"] ?? "application/json",
        authorization: request.headers.authorization ?? "",
      },
      ...(parts.length > 0 && { body: new Uint8Array(Buffer.concat(parts)) }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (isChange) await this.#refresh();
    if (fault?.type === "answer-lost") return void response.destroy();
    if (fault?.type === "answer-unreadable") return void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
    if (fault?.type === "held") await new Promise<void>((resolve) => this.#held.push(resolve));
    if (answer.status === 204) return void response.writeHead(204).end();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" }).end(bytes);
  }

  /** Keeps what the bot has written, in the order of the platform's ids. */
  async #refresh(): Promise<void> {
    const { prisma, botUserId } = this.twin;
    const [messages, reactions, threads] = await Promise.all([
      prisma.message.findMany({ where: { authorId: botUserId } }),
      prisma.reaction.findMany(),
      prisma.channel.findMany({ where: { type: 11 } }),
    ]);
    const parentOf = new Map(threads.map(({ id, parentId }) => [id, parentId]));
    for (const [id, shown] of this.#shown)
      if (!messages.some((message) => message.id === id)) this.#shown.set(id, { ...shown, deleted: true });
    for (const message of messages.toSorted((left, right) => (BigInt(left.id) < BigInt(right.id) ? -1 : 1))) {
      const { id, channelId, content, flags, components, messageReference } = message;
      const reference = messageReference === null ? undefined : (JSON.parse(messageReference) as { readonly message_id?: string });
      const rows = JSON.parse(components) as readonly { readonly components: readonly { readonly label: string }[] }[];
      this.#shown.set(id, {
        messageId: id,
        conversationId: parentOf.get(channelId) ?? channelId,
        inThread: parentOf.has(channelId),
        ...(reference?.message_id !== undefined && { replyTo: reference.message_id }),
        text: content,
        deleted: false,
        reactions: reactions.filter((reaction) => reaction.messageId === id).map(({ emoji }) => emoji),
        notifiedAll: false,
        card: { text: content, buttons: rows.flatMap((row) => row.components.map(({ label }) => label)), inputs: [] },
        silent: (flags & (1 << 12)) !== 0,
      });
    }
  }
}

/** The key of what the channel passes on. */
function eventIdOf(name: string, data: Readonly<Record<string, unknown>>): string {
  const id = String(data["id"]);
  switch (name) {
    case "MESSAGE_UPDATE":
      return `edit/${id}/${String(data["edited_timestamp"])}`;
    case "MESSAGE_DELETE":
      return `delete/${id}`;
    case "INTERACTION_CREATE":
      return `interaction/${id}`;
    default:
      return id;
  }
}
