import type { Channel, Conversation } from "@factotum/channel-contract";
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
} from "@factotum/channel-conformance";
import { FakeTelegram, telegramMessageUpdate, telegramPressUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramUpdate } from "@factotum/testing-channels";
import { faultOf, isForeign, withFault } from "./faults.ts";
import { telegramHappening } from "./happenings.ts";
import type { Raw } from "./happenings.ts";
import { BOB, withMentions } from "./mention-entities.ts";
import { ALICE, FORUM, GROUP } from "./scene.ts";

const WEBHOOK_URL = "http://127.0.0.1/channels/telegram/second";
const OTHER_BOT = 2001;
const TOPIC = 77;

/** The secret of the webhook under test. */
export const SECRET_TOKEN = "the_secret-of-the-webhook";

/** Telegram for the conformance suite: the fake server behind the suite's interface. */
export class TelegramPlatform implements ConformancePlatform {
  readonly telegram: FakeTelegram;
  readonly transport: "webhook" | "connection";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: true,
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: String(ALICE), name: "Alice" },
    group: { id: String(FORUM), name: "Forum" },
  };

  private constructor(telegram: FakeTelegram, transport: "webhook" | "connection") {
    this.telegram = telegram;
    this.transport = transport;
  }

  static async start(transport: "webhook" | "connection"): Promise<TelegramPlatform> {
    // A stopped clock: events that are made after each other have the same second.
    const nowMs = Date.now();
    const telegram = await FakeTelegram.start({ now: () => nowMs });
    telegram.app.users.set(OTHER_BOT, { id: OTHER_BOT, first_name: "Other", username: "other_bot", is_bot: true });
    return new TelegramPlatform(telegram, transport);
  }

  get secrets(): readonly string[] {
    return [this.telegram.app.token, SECRET_TOKEN];
  }

  event(message: TestMessage): TestEvent {
    const { app } = this.telegram;
    const { text, entities } = withMentions(message, app.bot.username);
    const [file, ...moreFiles] = (message.files ?? []).map(({ name, bytes }) =>
      this.telegram.addFile({ name, bytes, mimeType: "text/plain" }),
    );
    const withAlbum = moreFiles.length > 0 ? { albumId: "12" } : {};
    const chatId = message.conversation === "direct" ? ALICE : FORUM;
    const fromId = { person: ALICE, self: app.bot.id, "other-bot": OTHER_BOT }[message.sender];
    const answered =
      message.isReply === true ? this.telegram.addMessage({ chatId, fromId: BOB, text: "An earlier message" }).id : undefined;
    const added = this.telegram.addMessage({
      chatId,
      fromId,
      text,
      ...(message.conversation === "thread" && { threadId: TOPIC }),
      ...(file !== undefined && { file, kind: "document", ...withAlbum }),
      ...(answered !== undefined && { replyTo: answered }),
    });
    const more = entities.length === 0 ? {} : { entities };
    const event = this.expect(telegramMessageUpdate(this.telegram, added, more), {
      messageId: String(added.id),
      conversation: this.target(message.conversation),
      timestampMs: Math.floor(added.atMs / 1_000) * 1_000,
      ...(answered !== undefined && { replyTo: String(answered) }),
    });
    const parts = moreFiles.map((one) =>
      telegramMessageUpdate(this.telegram, this.telegram.addMessage({ chatId, fromId, file: one, kind: "document", ...withAlbum })),
    );
    return { ...event, raw: { ...(event.raw as Raw), parts } satisfies Raw };
  }

  happening(what: TestHappening): TestHappeningEvent {
    return telegramHappening(this, what);
  }

  moved(): TestHappeningEvent {
    const note = this.telegram.addMessage({ chatId: GROUP, fromId: ALICE });
    const update = telegramMessageUpdate(this.telegram, note, { text: undefined, migrate_to_chat_id: FORUM });
    return {
      event: this.expect(update, { messageId: String(note.id), conversation: { kind: "group", id: String(GROUP) } }),
      expected: { type: "moved", to: { kind: "group", id: String(FORUM) } },
    };
  }

  /** The delivery of an update, and what is expected of it. */
  expect(update: TelegramUpdate, expected: Partial<TestEvent["expected"]> = {}): TestEvent {
    return {
      raw: { update: () => update } satisfies Raw,
      expected: {
        eventId: String(update.update_id),
        messageId: "",
        conversation: this.target("direct"),
        senderId: String(ALICE),
        timestampMs: Math.floor(this.telegram.app.now() / 1_000) * 1_000,
        ...expected,
      },
    };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { outbound, update, parts = [] } = event.raw as Raw;
    if (outbound !== undefined) {
      const target = { channel: "telegram", accountId: "second", conversation: this.target("group") };
      const receipt = await channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: "own" });
      return receipt.type === "accepted" ? "acknowledged" : "unacknowledged";
    }
    if (update === undefined) throw new Error("there is nothing to deliver");
    const answers = [update(), ...parts].map((part) => this.#deliver(channel, withFault(part, options.fault), options.fault));
    return (await Promise.all(answers)).find((answer) => answer !== "acknowledged") ?? "acknowledged";
  }

  async press(channel: Channel, { messageId: id, label }: TestPress): Promise<DeliveryAnswer> {
    const message = this.telegram.sent.find((one) => String(one.id) === id);
    const button = message?.buttons.flat().find(({ text }) => text === label);
    if (message === undefined || button?.callback_data === undefined) throw new Error(`there is no button "${label}" at ${id}`);
    const update = telegramPressUpdate(this.telegram, message, { fromId: ALICE, data: button.callback_data });
    return this.#deliver(channel, update, undefined);
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const added = this.telegram.addMessage({ chatId: ALICE, fromId: ALICE, text: `/${name} ${argumentsText}` });
    const entities = [{ type: "bot_command", offset: 0, length: name.length + 1 }];
    return this.expect(telegramMessageUpdate(this.telegram, added, { entities }), { messageId: String(added.id) });
  }

  typing(): readonly string[] {
    return this.telegram.typing.map(({ chatId }) => String(chatId));
  }

  menu(): readonly string[] {
    return (this.telegram.app.commands.get("default") ?? []).map(({ command }) => command);
  }

  async menuSet(count: number): Promise<void> {
    const sets = (): number =>
      this.telegram.requests.filter(
        ({ method, values }) => method === "setMyCommands" && (values["scope"] as { type?: string } | undefined)?.type === "default",
      ).length;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (sets() >= count) resolve();
      };
      this.telegram.watch(check);
      check();
    });
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    if (this.transport === "webhook") {
      const headers = { "x-telegram-bot-api-secret-token": SECRET_TOKEN };
      return this.#post(channel, new Request(WEBHOOK_URL, { method: "POST", headers, body: new Uint8Array(bytes) }));
    }
    void this.telegram.updates.deliver(parsed(Buffer.from(bytes).toString("utf8")));
    return "refused";
  }

  handshake(): Promise<boolean> {
    throw new Error("this platform does not check an address");
  }

  disconnect(): void {
    this.telegram.updates.drop();
  }

  connected(count: number): Promise<void> {
    return this.telegram.updates.connected(count);
  }

  get openConnections(): number {
    return this.telegram.updates.open;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: String(ALICE) };
    if (kind === "unknown") return { kind: "group", id: "-4040404" };
    return { kind: "group", id: String(FORUM), ...(kind === "thread" && { threadId: String(TOPIC) }) };
  }

  get shown(): readonly ShownMessage[] {
    const albums = new Set<string>();
    return this.telegram.sent.flatMap((message) => {
      const { albumId, file, poll } = message;
      if (albumId !== undefined && albums.has(albumId)) return [];
      if (albumId !== undefined) albums.add(albumId);
      const parts = albumId === undefined ? [message] : this.telegram.sent.filter((one) => one.albumId === albumId);
      const text = parts.map((part) => part.text).join("");
      return [
        {
          messageId: String(message.id),
          conversationId: String(message.chatId),
          inThread: message.threadId !== undefined,
          ...(message.replyTo !== undefined && { replyTo: String(message.replyTo) }),
          text,
          deleted: message.deleted,
          reactions: message.reactions,
          ...(file !== undefined && { file: { ...file, isVoice: message.kind === "voice" } }),
          ...(albumId !== undefined && { files: parts.flatMap((part) => part.file ?? []) }),
          notifiedAll: false,
          card: { text, buttons: message.buttons.flat().map((button) => button.text), inputs: [] },
          ...(poll !== undefined && { poll: { question: poll.question, options: poll.options, multiple: poll.multiple } }),
          silent: message.isSilent === true,
          pinned: message.pinned,
        },
      ];
    });
  }

  get sendRequests(): number {
    return this.telegram.requests.filter(({ isChange }) => isChange).length;
  }

  async sendRequested(count: number): Promise<void> {
    await this.telegram.request(() => this.sendRequests >= count);
  }

  failNextSend(fault: SendFault): void {
    this.telegram.failNext(faultOf(fault));
  }

  refuseReads(): void {
    throw new Error("this platform has no permissions to read");
  }

  release(): void {
    this.telegram.release();
  }

  async shutDown(): Promise<void> {
    await this.telegram[Symbol.asyncDispose]();
    // The client learns of its closed idle connections: a request on one of them would be ambiguous.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  revokeTokens(): void {
    throw new Error("tokens of this platform are not renewed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.telegram[Symbol.asyncDispose]();
  }

  async #deliver(channel: Channel, update: TelegramUpdate, fault: DeliveryFault | undefined): Promise<DeliveryAnswer> {
    if (this.transport === "webhook") {
      const secretToken = fault === "signature-missing" ? undefined : isForeign(fault) ? "the_secret-of-another-bot" : SECRET_TOKEN;
      return this.#post(channel, telegramWebhookRequest(WEBHOOK_URL, update, { secretToken }));
    }
    // Updates of another bot are given to its own token alone.
    if (fault === "other-account") return "refused";
    return this.telegram.updates.deliver(update);
  }

  async #post(channel: Channel, request: Request): Promise<DeliveryAnswer> {
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
