import { createHmac } from "node:crypto";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, InboundEvent, MessageId } from "@factotum/channel-contract";
import type {
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
} from "../src/index.ts";

/** An event in the format of the fictional platform. */
export interface ReferenceEvent {
  readonly account: string;
  readonly id: string;
  readonly kind: string;
  /** Details of an event that is not a message; `message` has its place, time and sender. */
  readonly detail?: InboundEvent;
  readonly command?: { readonly name: string; readonly argumentsText: string };
  /** The text was typed after the platform's general command. */
  readonly isCommandOrText?: true;
  /** Data for the answer. */
  readonly token?: string;
  readonly message: {
    readonly id: string;
    readonly chat: string;
    readonly direct: boolean;
    readonly thread?: string;
    readonly sender: string;
    readonly senderIsBot: boolean;
    readonly senderIsUnverified: boolean;
    readonly atSeconds: number;
    readonly text: string;
    readonly mentions: readonly { readonly id: string; readonly name: string }[];
    readonly replyTo?: string;
    readonly files: readonly { readonly key: string; readonly name: string }[];
  };
}

/** A call of the platform's API. */
export type ReferenceCall =
  | { readonly type: "token"; readonly secret: string }
  | {
      readonly type: "send";
      readonly token: string;
      readonly chat: string;
      readonly thread?: string;
      readonly replyTo?: string;
      readonly text: string;
      readonly file?: NonNullable<ShownMessage["file"]>;
      readonly key: string;
      /** What else is shown of it. */
      readonly more?: Partial<ShownMessage>;
      /** Values of its buttons, by label. */
      readonly actions?: Readonly<Record<string, { readonly actionId: string; readonly value?: string }>>;
    }
  | { readonly type: "edit"; readonly token: string; readonly id: string; readonly text: string }
  | { readonly type: "delete"; readonly token: string; readonly id: string }
  | { readonly type: "react"; readonly token: string; readonly id: string; readonly emoji: string; readonly removed: boolean }
  | { readonly type: "file"; readonly token: string; readonly key: string }
  | { readonly type: "context"; readonly token: string; readonly message: string }
  /** Changes of a message that not every adapter makes. */
  | { readonly type: "change"; readonly token: string; readonly id: string; readonly change: Partial<ShownMessage> }
  | { readonly type: "typing"; readonly token: string; readonly chat: string }
  | { readonly type: "thread"; readonly token: string; readonly name: string }
  | { readonly type: "menu"; readonly token: string; readonly names: readonly string[] }
  | { readonly type: "query"; readonly token: string; readonly what: keyof ReferenceFacts };

/** What the platform answers to queries. */
export interface ReferenceFacts {
  readonly messages: readonly (ShownMessage & { readonly sentAtMs: number; readonly key: string })[];
  readonly threads: readonly { readonly threadId: string; readonly name: string }[];
  readonly directory: readonly { readonly type: "person" | "group"; readonly id: string; readonly name: string }[];
  readonly me: { readonly id: string; readonly mayRead: boolean };
}

/** Its answer. */
export interface ReferenceAnswer {
  readonly status: number;
  readonly value?: string;
  readonly bytes?: Uint8Array;
  readonly retryAfterSeconds?: number;
}

/** Thrown if there was no answer. */
export class ReferenceBreak extends Error {
  readonly sent: boolean;
  constructor(sent: boolean) {
    super(sent ? "reset" : "refused");
    this.sent = sent;
  }
}

export const SECRETS = { credential: "reference-credential", signing: "reference-signing-key", challenge: "reference-challenge-token" };
export const BOT_ID = "bot";
const ACCOUNT = "account-1";
const MAX_LENGTH = 500;
const MAX_KEY_LENGTH = 40;
/** Calls that show, change or remove a message. */
const COUNTED: ReadonlySet<ReferenceCall["type"]> = new Set(["send", "edit", "delete", "react", "change"]);
const CONTEXT = { senderName: "Alice", subject: "The room" };
const QUOTED = "An earlier word";

/** A fictional chat platform in memory, correct in every point that the suite tests. */
export class ReferencePlatform implements ConformancePlatform {
  readonly features: ConformancePlatform["features"] = {
    handshake: true,
    renewableToken: true,
    otherBots: true,
    unverifiedSenders: true,
    massMention: "<!all>",
    files: true,
  };
  readonly secrets: readonly string[] = Object.values(SECRETS);
  readonly transport: "webhook" | "connection";
  readonly #shown: ShownMessage[] = [];
  readonly #keys = new Map<string, string>();
  readonly #faults: SendFault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #files = new Map<string, Uint8Array>();
  readonly #sent = new Map<string, { readonly sentAtMs: number; readonly key: string }>();
  readonly #actions = new Map<string, NonNullable<Extract<ReferenceCall, { type: "send" }>["actions"]>>();
  readonly #threads: { readonly threadId: string; readonly name: string }[] = [];
  readonly #kept: ReferenceEvent[] = [];
  readonly #menus: (readonly string[])[] = [];
  readonly #typing: string[] = [];
  readonly #menuWaits: { count: number; resolve: () => void }[] = [];
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: "alice", name: "Alice Brown" },
    group: { id: "room", name: "The Room" },
  };
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  readonly #connections = new Set<{ readonly onEvent: (raw: string) => Promise<boolean>; readonly onClose: () => void }>();
  readonly #connectionWaits: { count: number; resolve: () => void }[] = [];
  #connectionCount = 0;
  #down = false;
  #readsRefused = false;
  #token = 0;
  #count = 0;
  sendRequests = 0;

  constructor(transport: "webhook" | "connection") {
    this.transport = transport;
  }

  get shown(): readonly ShownMessage[] {
    return this.#shown;
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  /** The API for the adapter. */
  async call(call: ReferenceCall, signal: AbortSignal): Promise<ReferenceAnswer> {
    if (this.#down) throw new ReferenceBreak(false);
    if (call.type === "token") return call.secret === SECRETS.credential ? { status: 200, value: `token-${this.#token}` } : { status: 401 };
    if (COUNTED.has(call.type)) this.#countRequest();
    if (call.token !== `token-${this.#token}`) return { status: 401 };
    const fault = call.type === "send" || call.type === "edit" ? this.#faults.shift() : undefined;
    if (fault?.type === "rate-limited") return { status: 429, retryAfterSeconds: fault.delayMs / 1_000 };
    if (fault?.type === "server-error") return { status: 500 };
    if (fault?.type === "forbidden") return { status: 403 };
    // Network traffic takes a turn of the event loop, and a large message takes longer.
    for (let turn = 0; turn < (call.type === "send" && call.text.endsWith(" ") ? 1 : 3); turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    const answer = this.#answer(call);
    if (fault?.type === "answer-lost") throw new ReferenceBreak(true);
    if (fault?.type === "answer-unreadable") return { status: 200 };
    if (fault?.type === "held") await this.#hold(signal);
    return answer;
  }

  /** Opens the adapter's connection. */
  connect(
    secret: string,
    handlers: { readonly onEvent: (raw: string) => Promise<boolean>; readonly onClose: () => void },
    /** The event after which it continues. */
    cursor?: string,
  ): () => void {
    if (this.#down) throw new ReferenceBreak(false);
    if (secret !== SECRETS.credential) throw new Error("unauthorized");
    this.#connections.add(handlers);
    const after = this.#kept.findIndex(({ id }) => id === cursor);
    for (const event of cursor === undefined ? [] : this.#kept.slice(after + 1)) void handlers.onEvent(JSON.stringify(event));
    this.#connectionCount += 1;
    for (const { count, resolve } of this.#connectionWaits) if (this.#connectionCount >= count) resolve();
    return () => this.#connections.delete(handlers);
  }

  happening(what: TestHappening): TestHappeningEvent {
    const before = this.event({ text: "a word", conversation: "group", sender: "person" });
    const base = this.event({ text: what === "edit" ? "another word" : "", conversation: "group", sender: "person" });
    const expected = happeningDetail(what, messageId(before.expected.messageId));
    const raw = { ...(base.raw as ReferenceEvent), kind: "other", detail: expected };
    return { before, event: { ...base, raw }, expected, ...(what === "edit" && { text: "another word" }) };
  }

  moved(): TestHappeningEvent {
    const base = this.event({ text: "", conversation: "group", sender: "person" });
    const expected: InboundEvent = { type: "moved", to: { kind: "group", id: "new-room" } };
    return { event: { ...base, raw: { ...(base.raw as ReferenceEvent), kind: "other", detail: expected } }, expected };
  }

  command(command: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const base = this.event({ text: `/${command.name}`, conversation: "direct", sender: "person" });
    return { ...base, raw: { ...(base.raw as ReferenceEvent), command } };
  }

  commandOrText(text: string): TestEvent {
    const base = this.event({ text, conversation: "direct", sender: "person" });
    return { ...base, raw: { ...(base.raw as ReferenceEvent), isCommandOrText: true } };
  }

  typing(): readonly string[] {
    return this.#typing;
  }

  menu(): readonly string[] {
    return this.#menus.at(-1) ?? [];
  }

  menuSet(count: number): Promise<void> {
    return this.#wait(this.#menuWaits, count, this.#menus.length);
  }

  async followLogin(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  keep(event: TestEvent): void {
    this.#kept.push(event.raw as ReferenceEvent);
  }

  press(channel: Channel, { messageId: id, label, inputs }: TestPress): Promise<DeliveryAnswer> {
    const action = this.#actions.get(id)?.[label];
    if (action === undefined) return Promise.resolve("refused");
    const base = this.event({ text: "", conversation: "direct", sender: "person" });
    const detail: InboundEvent = {
      type: "action",
      ...action,
      targetId: messageId(id),
      ...(inputs !== undefined && { inputs }),
    };
    return this.deliver(channel, { ...base, raw: { ...(base.raw as ReferenceEvent), kind: "other", detail } });
  }

  event(message: TestMessage): TestEvent {
    this.#count += 1;
    const id = `m${this.#count}`;
    const sender = { person: "alice", self: BOT_ID, "other-bot": "robot" }[message.sender];
    const mentions = [
      ...(message.mentionsBot === true ? [{ id: BOT_ID, name: "Bot" }] : []),
      ...(message.mentionsBob === true ? [{ id: "bob", name: "Bob" }] : []),
    ];
    const files = (message.files ?? []).map(({ name, bytes }, index) => {
      this.#files.set(`${id}-${index}`, bytes);
      return { key: `${id}-${index}`, name };
    });
    const raw: ReferenceEvent = {
      account: ACCOUNT,
      id: `e${this.#count}`,
      kind: "message",
      token: `reply-${id}`,
      message: {
        id,
        chat: message.conversation === "direct" ? "dm" : "room",
        direct: message.conversation === "direct",
        ...(message.conversation === "thread" && { thread: "t1" }),
        sender,
        senderIsBot: message.sender !== "person",
        senderIsUnverified: message.isUnverified === true,
        atSeconds: 1_767_225_600 + this.#count,
        text: [message.text, ...mentions.map((mention) => `<@${mention.id}>`)].join(" "),
        mentions,
        ...(message.isReply === true && { replyTo: "m0" }),
        files,
      },
    };
    return {
      raw,
      expected: {
        eventId: raw.id,
        messageId: id,
        conversation: this.target(message.conversation),
        senderId: sender,
        timestampMs: raw.message.atSeconds * 1_000,
        ...(message.isReply === true && { replyTo: "m0" }),
        context: { ...CONTEXT, ...(message.isReply === true && { quoted: QUOTED }) },
      },
    };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { fault } = options;
    const raw = {
      ...(event.raw as ReferenceEvent),
      ...(fault === "other-account" && { account: "account-2" }),
      ...(fault === "unknown-kind" && { kind: "odd" }),
    };
    const body = JSON.stringify(raw);
    if (this.transport === "connection") {
      if (fault === undefined) this.#kept.push(raw);
      return this.#push(body);
    }
    const seconds = Math.floor(Date.now() / 1_000) + (fault === "stale" ? -86_400 : fault === "early" ? 86_400 : 0);
    const key = fault === "signature-wrong" ? "another key" : SECRETS.signing;
    const headers = {
      "x-time": String(seconds),
      ...(fault !== "signature-missing" && { "x-signature": sign(key, String(seconds), body) }),
    };
    return this.#post(channel, fault === "tampered" ? body.replace("m", "n") : body, headers);
  }

  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    if (this.transport === "connection") return this.#push(Buffer.from(bytes).toString("latin1")).then(() => "refused");
    const time = String(Math.floor(Date.now() / 1_000));
    const body = Buffer.from(bytes).toString("latin1");
    return this.#post(channel, body, { "x-time": time, "x-signature": sign(SECRETS.signing, time, body) });
  }

  async handshake(channel: Channel, options: { readonly token: "right" | "wrong" }): Promise<boolean> {
    const body = JSON.stringify({ kind: "challenge", token: options.token === "right" ? SECRETS.challenge : "wrong", challenge: "abc" });
    const response = await channel.handleWebhook(new Request("http://127.0.0.1/", { method: "POST", body }), {
      signal: AbortSignal.timeout(60_000),
    });
    return response.status === 200 && (await response.text()) === "abc";
  }

  disconnect(): void {
    const all = [...this.#connections];
    this.#connections.clear();
    for (const { onClose } of all) onClose();
  }

  connected(count: number): Promise<void> {
    return this.#wait(this.#connectionWaits, count, this.#connectionCount);
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "dm" };
    return { kind: "group", id: kind === "unknown" ? "nowhere" : "room", ...(kind === "thread" && { threadId: "t1" }) };
  }

  sendRequested(count: number): Promise<void> {
    return this.#wait(this.#waiting, count, this.sendRequests);
  }

  failNextSend(fault: SendFault): void {
    this.#faults.push(fault);
  }

  refuseReads(): void {
    this.#readsRefused = true;
  }

  release(): void {
    for (const release of this.#held.splice(0)) release();
  }

  shutDown(): Promise<void> {
    this.#down = true;
    this.disconnect();
    return Promise.resolve();
  }

  revokeTokens(): void {
    this.#token += 1;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutDown();
  }

  #answer(call: Exclude<ReferenceCall, { type: "token" }>): ReferenceAnswer {
    switch (call.type) {
      case "send":
        return this.#send(call);
      case "file":
        return this.#files.has(call.key) ? { status: 200, bytes: this.#files.get(call.key) ?? new Uint8Array() } : { status: 404 };
      case "context":
        return this.#readsRefused ? { status: 403 } : { status: 200, value: JSON.stringify({ ...CONTEXT, quoted: QUOTED }) };
      case "edit":
        return this.#change(call.id, () => ({ text: call.text, isGrowing: false }));
      case "change":
        return this.#change(call.id, () => call.change);
      case "typing":
        this.#typing.push(call.chat);
        return { status: 200 };
      case "thread":
        this.#threads.push({ threadId: `t${this.#threads.length + 1}`, name: call.name });
        return { status: 200, value: this.#threads.at(-1)?.threadId ?? "" };
      case "menu":
        this.#menus.push(call.names);
        for (const { count, resolve } of this.#menuWaits) if (this.#menus.length >= count) resolve();
        return { status: 200 };
      case "query":
        return { status: 200, value: JSON.stringify(this.#facts()[call.what]) };
      case "delete":
        return this.#change(call.id, () => ({ deleted: true }));
      case "react":
        return this.#change(call.id, ({ reactions }) => ({
          reactions: [...reactions.filter((one) => one !== call.emoji), ...(call.removed ? [] : [call.emoji])],
        }));
    }
  }

  #facts(): ReferenceFacts {
    const { person, group } = this.directory;
    return {
      messages: this.#shown.map((message) => ({ ...message, ...(this.#sent.get(message.messageId) ?? { sentAtMs: 0, key: "" }) })),
      threads: this.#threads,
      directory: [
        { type: "person", ...person },
        { type: "group", ...group },
      ],
      me: { id: BOT_ID, mayRead: !this.#readsRefused },
    };
  }

  #send(call: Extract<ReferenceCall, { type: "send" }>): ReferenceAnswer {
    if (call.chat !== "dm" && call.chat !== "room") return { status: 404 };
    if (call.text.length > MAX_LENGTH * 3 || call.key.length > MAX_KEY_LENGTH) return { status: 413 };
    const earlier = this.#keys.get(call.key);
    if (earlier !== undefined) return { status: 200, value: earlier };
    const messageId = `s${this.#shown.length + 1}`;
    this.#keys.set(call.key, messageId);
    this.#sent.set(messageId, { sentAtMs: Date.now(), key: call.key });
    if (call.actions !== undefined) this.#actions.set(messageId, call.actions);
    this.#shown.push({
      messageId,
      conversationId: call.chat,
      inThread: call.thread !== undefined,
      ...(call.replyTo !== undefined && { replyTo: call.replyTo }),
      text: call.text,
      deleted: false,
      reactions: [],
      ...(call.file !== undefined && { file: call.file }),
      notifiedAll: call.text.includes("<!all>"),
      ...call.more,
    });
    return { status: 200, value: messageId };
  }

  #change(id: string, change: (message: ShownMessage) => Partial<ShownMessage>): ReferenceAnswer {
    const index = this.#shown.findIndex(({ messageId }) => messageId === id);
    const message = this.#shown[index];
    if (message === undefined) return { status: 404 };
    this.#shown[index] = { ...message, ...change(message) };
    return { status: 200, value: id };
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#held.push(resolve);
    const onAbort = (): void => reject(new ReferenceBreak(true));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    await promise;
  }

  #countRequest(): void {
    this.sendRequests += 1;
    for (const { count, resolve } of this.#waiting) if (this.sendRequests >= count) resolve();
  }

  async #push(body: string): Promise<DeliveryAnswer> {
    const [connection] = this.#connections;
    if (connection === undefined) return "unacknowledged";
    return (await connection.onEvent(body)) ? "acknowledged" : "unacknowledged";
  }

  async #post(channel: Channel, body: string, headers: Readonly<Record<string, string>>): Promise<DeliveryAnswer> {
    const request = new Request("http://127.0.0.1/", { method: "POST", headers, body });
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }

  async #wait(list: { count: number; resolve: () => void }[], count: number, now: number): Promise<void> {
    if (now >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    list.push({ count, resolve });
    await promise;
  }
}

/** The platform's signature. */
export function sign(key: string, time: string, body: string): string {
  return createHmac("sha256", key).update(`${time}.${body}`).digest("hex");
}

function happeningDetail(what: TestHappening, targetId: MessageId): InboundEvent {
  const bob = { id: "bob", name: "Bob", isSelf: false };
  switch (what) {
    case "edit":
    case "delete":
      return { type: what, targetId };
    case "reaction":
    case "reaction-taken-back":
      return { type: "reaction", targetId, emoji: "👍", removed: what === "reaction-taken-back", isOnOwnMessage: false };
    case "press":
      return { type: "action", actionId: "yes", value: "/help", targetId };
    case "joined":
    case "left":
      return { type: "member", change: what, member: bob };
    case "bot-joined":
      return { type: "member", change: "joined", member: { id: BOT_ID, isSelf: true } };
    case "vote":
      return { type: "vote", targetId, options: ["Yes"] };
    case "receipt":
      return { type: "receipt", targetId, state: "read" };
  }
}
