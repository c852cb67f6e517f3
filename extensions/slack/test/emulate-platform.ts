import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Channel, Conversation } from "@factotum/channel-contract";
import type {
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  ShownMessage,
  TestEvent,
  TestHappeningEvent,
  TestMessage,
  TestPress,
} from "@factotum/channel-conformance";
import { slackCommand, slackEventBody, slackEventRequest, slackFormRequest, slackRichText } from "@factotum/testing-channels";
import type { FakeSlackApp, SlackEventBody, SlackRequestOptions } from "@factotum/testing-channels";
import { createEmulator } from "emulate";
import { inputState, pressedButton, shownCard } from "./shown-card.ts";
import { shownEmoji } from "./shown-emoji.ts";

type Emulator = Awaited<ReturnType<typeof createEmulator>> & { readonly url: string };

const WEBHOOK_URL = "http://127.0.0.1/channels/slack/second";
const DAY_MS = 24 * 60 * 60_000;
const CHANGES = /^\/api\/(?:chat\.\w+|reactions\.(?:add|remove)|files\.(?:completeUploadExternal|delete))$/;
const PINS = /^\/api\/pins\.(?:add|remove)$/;
const SCOPES = [
  ..."chat:write channels:read channels:history channels:write groups:read groups:history im:read im:write im:history".split(" "),
  ..."mpim:read mpim:history users:read files:read files:write pins:read pins:write reactions:read reactions:write".split(" "),
];

interface EmulatedMessage {
  readonly ts: string;
  readonly user?: string;
  readonly text?: string;
  readonly thread_ts?: string;
  readonly blocks?: readonly object[];
  readonly files?: readonly { readonly id: string; readonly name: string }[];
  readonly reactions?: readonly { readonly name: string }[];
}

/**
 * A workspace of the npm package `emulate` behind the suite's interface. It stands behind a proxy that counts requests and, after each change, reads what the
 * emulator shows. The emulator passes no events to a program, so they are made and signed as for the other platform.
 */
export class EmulatePlatform implements ConformancePlatform {
  readonly transport = "webhook";
  readonly features: ConformancePlatform["features"] = {
    handshake: true,
    renewableToken: false,
    otherBots: true,
    massMention: "<!channel> @channel @here",
    files: false,
    // It accepts every token, its connection does not break, and its commands are part of the manifest of the app.
    absent: ["replies", "credential", "wire", "menu"],
  };
  shown: readonly ShownMessage[] = [];
  directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: "", name: "Alice" },
    group: { id: "C000000001", name: "general" },
  };
  sendRequests = 0;
  readonly openConnections = 0;
  readonly app: FakeSlackApp;
  readonly #emulator: Emulator;
  readonly #proxy: Server;
  readonly #uploads = new Map<string, Uint8Array>();
  /** Blocks of the bot's messages, by message. */
  readonly #blocks = new Map<string, readonly object[]>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #places = { direct: "", group: "C000000001", root: "" };
  #people = { alice: "", bob: "" };
  #messages = 0;

  private constructor(emulator: Emulator, proxy: Server, app: FakeSlackApp) {
    this.#emulator = emulator;
    this.#proxy = proxy;
    this.app = app;
    proxy.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#forward(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<EmulatePlatform> {
    const proxy = createServer();
    const [proxyPort, port] = [await listen(proxy), await freePort()];
    const app = appOf(`http://127.0.0.1:${proxyPort}`);
    const emulator = (await createEmulator({
      service: "slack",
      port,
      baseUrl: `http://127.0.0.1:${proxyPort}`,
      seed: { slack: seedOf(app) },
    })) as Emulator;
    const platform = new EmulatePlatform({ ...emulator, url: `http://127.0.0.1:${port}` }, proxy, app);
    await platform.#setUp();
    return platform;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  get secrets(): readonly string[] {
    return [this.app.botToken, this.app.signingSecret, "Bearer "];
  }

  event(message: TestMessage): TestEvent {
    const { bot, teamId } = this.app;
    this.#messages += 1;
    const ts = `${1_767_225_600 + this.#messages}.000100`;
    const target = this.target(message.conversation);
    const mentions = [
      ...(message.mentionsBob === true ? [{ type: "user", user_id: this.#people.bob }] : []),
      ...(message.mentionsBot === true ? [{ type: "user", user_id: bot.userId }] : []),
    ];
    const body = slackEventBody(this.app, {
      type: "message",
      channel: target.id,
      channel_type: target.kind === "direct" ? "im" : "channel",
      ts,
      event_ts: ts,
      team: teamId,
      user: { person: this.#people.alice, self: bot.userId, "other-bot": "U0OTHERBOT" }[message.sender],
      ...(message.sender === "other-bot" && { bot_id: "B0OTHERBOT" }),
      ...slackRichText(mentions.length === 0 ? message.text : `${message.text} `, mentions),
      ...(target.threadId !== undefined && { thread_ts: target.threadId }),
    });
    return {
      raw: body,
      expected: {
        eventId: body.event_id,
        messageId: ts,
        conversation: target,
        senderId: this.#people.alice,
        timestampMs: Math.floor(Number(ts) * 1_000),
        context: { senderName: "Alice", subject: "#general" },
      },
    };
  }

  happening(): TestHappeningEvent {
    throw new Error("the emulator passes no events");
  }

  async deliver(channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    if ("command" in (event.raw as object))
      return this.#post(channel, slackFormRequest(this.app, WEBHOOK_URL, event.raw as Readonly<Record<string, string>>));
    const body = event.raw as SlackEventBody;
    const changed =
      fault === "other-account"
        ? { ...body, team_id: "T0OTHER", authorizations: [{ team_id: "T0OTHER" }] }
        : fault === "unknown-kind"
          ? { ...body, event: { type: "something_new" } }
          : body;
    return this.#post(channel, slackEventRequest(this.app, WEBHOOK_URL, changed, spoiled(fault)));
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    return this.#post(channel, new Request(WEBHOOK_URL, { method: "POST", body: new Uint8Array(bytes) }));
  }

  async handshake(channel: Channel, { token }: { readonly token: "right" | "wrong" }): Promise<boolean> {
    const request = slackEventRequest(this.app, WEBHOOK_URL, { type: "url_verification", challenge: "c" }, { signature: token });
    const response = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    return response.status === 200 && ((await response.json()) as { challenge?: unknown }).challenge === "c";
  }

  async press(channel: Channel, { messageId: ts, label, inputs = {} }: TestPress): Promise<DeliveryAnswer> {
    const blocks = this.#blocks.get(ts) ?? [];
    const payload = {
      type: "block_actions",
      trigger_id: `trigger-${ts}-${label}`,
      user: { id: this.#people.alice, username: "alice" },
      team: { id: this.app.teamId },
      channel: { id: this.#places.direct, name: "directmessage" },
      container: { type: "message", message_ts: ts, channel_id: this.#places.direct },
      message: { ts },
      state: { values: inputState(blocks, inputs) },
      response_url: "https://hooks.slack.com/actions/T1/1/secret",
      actions: [buttonAction(blocks, label)],
    };
    return this.#post(channel, slackFormRequest(this.app, WEBHOOK_URL, { payload: JSON.stringify(payload) }));
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const responseUrl = "https://hooks.slack.com/commands/T1/1/secret";
    const input = { command: `/${name}`, text: argumentsText, channel: this.#places.direct, user: this.#people.alice, responseUrl };
    const raw = slackCommand(this.app, input);
    const id = `command/${raw["trigger_id"] ?? ""}`;
    const expected = { eventId: id, messageId: id, conversation: this.target("direct"), senderId: this.#people.alice, timestampMs: 0 };
    return { raw, expected };
  }

  disconnect(): void {
    throw new Error("there is no connection");
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("there is no connection"));
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: this.#places.direct };
    if (kind === "unknown") return { kind: "channel", id: "C0NOWHERE" };
    return { kind: "channel", id: this.#places.group, ...(kind === "thread" && { threadId: this.#places.root }) };
  }

  async sendRequested(count: number): Promise<void> {
    if (this.sendRequests >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  failNextSend(): void {
    throw new Error("the emulator cannot fail on request");
  }

  refuseReads(): void {
    throw new Error("the emulator takes no scope back");
  }

  release(): void {
    // Nothing is held.
  }

  async shutDown(): Promise<void> {
    this.#proxy.closeAllConnections();
    if (this.#proxy.listening) await new Promise((resolve) => this.#proxy.close(resolve));
    await this.#emulator.close();
    // The client learns of its closed idle connections.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#proxy.listening) await this.shutDown();
  }

  /** Calls a method of the emulator without the proxy. */
  async call(
    method: string,
    fields: Readonly<Record<string, string>>,
    token: string = this.app.botToken,
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.#emulator.url}/api/${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams(fields),
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (answer["ok"] !== true) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async #setUp(): Promise<void> {
    const { members } = (await this.call("users.list", {})) as unknown as { members: readonly { id: string; name: string }[] };
    const idOf = (name: string): string => members.find((member) => member.name === name)?.id ?? "";
    this.#people = { alice: idOf("alice"), bob: idOf("bob") };
    this.directory = { ...this.directory, person: { id: this.#people.alice, name: "Alice" } };
    const { channel } = (await this.call("conversations.open", { users: this.#people.alice })) as unknown as { channel: { id: string } };
    for (const token of [this.app.botToken, "xoxp-alice"]) await this.call("conversations.join", { channel: this.#places.group }, token);
    const { ts } = (await this.call("chat.postMessage", { channel: this.#places.group, text: "Root" }, "xoxp-alice")) as unknown as {
      ts: string;
    };
    this.#places = { ...this.#places, direct: channel.id, root: ts };
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const body = await readBody(request);
    const isChange = CHANGES.test(path);
    if (isChange) {
      this.sendRequests += 1;
      for (const { count, resolve } of this.#waiting) if (this.sendRequests >= count) resolve();
    }
    if (path.startsWith("/upload/")) this.#uploads.set(path.split("/").at(-1) ?? "", body);
    const { authorization = "", "content-type": type = "" } = request.headers;
    const answer = await fetch(`${this.#emulator.url}${path}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(request.method === "POST" && { body: new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (isChange || PINS.test(path)) await this.#readShown();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" }).end(bytes);
  }

  /** Reads the bot's messages from the emulator; what has gone is deleted. */
  async #readShown(): Promise<void> {
    const { direct, group, root } = this.#places;
    const read = async (method: string, fields: Readonly<Record<string, string>>): Promise<readonly ShownMessage[]> => {
      const { messages } = (await this.call(method, { limit: "200", ...fields })) as unknown as { messages: readonly EmulatedMessage[] };
      return messages.filter(({ user }) => user === this.app.bot.userId).map((message) => this.#shownAs(message, fields["channel"] ?? ""));
    };
    const found = [
      ...(await read("conversations.history", { channel: direct })),
      ...(await read("conversations.history", { channel: group })),
      ...(await read("conversations.replies", { channel: group, ts: root })),
    ];
    const { items } = (await this.call("pins.list", { channel: group })) as unknown as { items: readonly { message?: { ts: string } }[] };
    const pinned = new Set(items.map(({ message }) => message?.ts));
    const now = new Map(found.map((message) => [message.messageId, { ...message, pinned: pinned.has(message.messageId) }]));
    const gone = this.shown.filter(({ messageId }) => !now.has(messageId)).map((message) => ({ ...message, deleted: true }));
    this.shown = [...now.values(), ...gone].toSorted((left, right) => Number(left.messageId) - Number(right.messageId));
  }

  #shownAs(message: EmulatedMessage, channel: string): ShownMessage {
    const blocks = message.blocks ?? [];
    this.#blocks.set(message.ts, blocks);
    const card = shownCard(blocks);
    const source = card.card?.text ?? message.text ?? "";
    const files = (message.files ?? []).map(({ id, name }) => ({ name, bytes: this.#uploads.get(id) ?? new Uint8Array() }));
    const [file] = files;
    return {
      messageId: message.ts,
      conversationId: channel,
      inThread: message.thread_ts !== undefined && message.thread_ts !== message.ts,
      text: source.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      deleted: false,
      reactions: (message.reactions ?? []).map(({ name }) => shownEmoji(name)),
      ...(file !== undefined && { file }),
      ...(files.length > 1 && { files }),
      ...card,
      notifiedAll: /<!(?:channel|here|everyone)|@(?:channel|here|everyone)\b/.test(source),
    };
  }

  async #post(channel: Channel, request: Request): Promise<DeliveryAnswer> {
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}

function buttonAction(blocks: readonly object[], label: string): object {
  const { actionId, value } = pressedButton(blocks, label);
  return { type: "button", action_id: actionId, text: { type: "plain_text", text: label }, value, action_ts: "1767225600.500000" };
}

function spoiled(fault: DeliveryFault | undefined): SlackRequestOptions {
  if (fault === "signature-missing") return { signature: "missing" };
  if (fault === "signature-wrong") return { signature: "wrong" };
  if (fault === "tampered") return { tamper: (body) => body.replace("event_callback", "event_callbacl") };
  if (fault === "stale") return { timestampMs: Date.now() - DAY_MS };
  return fault === "early" ? { timestampMs: Date.now() + DAY_MS } : {};
}

function appOf(baseUrl: string): FakeSlackApp {
  return {
    appId: "A0FACTOTUM",
    teamId: "T000000001",
    botToken: "xoxb-of-the-bot",
    appToken: `unused at ${baseUrl}`,
    signingSecret: "the-signing-secret",
    bot: { userId: "U0FACTOTUM", botId: "B0FACTOTUM", name: "factotum" },
    scopes: new Set(SCOPES),
    users: new Map(),
    conversations: new Map(),
    emoji: new Map(),
    now: () => Date.now(),
  };
}

function seedOf({ appId, bot, botToken, signingSecret }: FakeSlackApp): object {
  const ids = { bot_id: bot.botId, bot_user_id: bot.userId, app_id: appId };
  return {
    signing_secret: signingSecret,
    strict_scopes: true,
    users: [
      { name: "alice", real_name: "Alice", profile: { display_name: "Alice" } },
      { name: "bob", real_name: "Bob", profile: { display_name: "Bob" } },
    ],
    oauth_apps: [{ ...ids, client_id: "1.2", client_secret: "x", name: bot.name, bot_name: bot.name, redirect_uris: [], scopes: SCOPES }],
    tokens: [
      { ...ids, token: botToken, type: "bot", user_id: bot.userId, scopes: SCOPES },
      { token: "xoxp-alice", user: "alice" },
    ],
  };
}

async function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}
