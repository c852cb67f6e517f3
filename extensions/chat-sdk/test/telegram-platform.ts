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
import type { TelegramFault, TelegramUpdate } from "@factotum/testing-channels";
import { ALICE, BOB, conversationOf, FORUM, OTHER_BOT, SECRET_TOKEN, TOPIC, WEBHOOK_URL } from "./scene.ts";
import { telegramHappening } from "./telegram-happenings.ts";
import type { Raw } from "./telegram-happenings.ts";

/** Telegram for the conformance suite, with the ids that its adapter gives. */
export class TelegramPlatform implements ConformancePlatform {
  readonly telegram: FakeTelegram;
  readonly transport = "webhook";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: true,
    // The Chat SDK sets no menu.
    absent: ["menu"],
  };
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: String(ALICE), name: "Alice" },
    group: { id: `telegram:${FORUM}`, name: "Forum" },
  };

  private constructor(telegram: FakeTelegram) {
    this.telegram = telegram;
  }

  /** `hasRichMessages`: false for a server that knows MarkdownV2 only. */
  static async start({ hasRichMessages }: { readonly hasRichMessages: boolean }): Promise<TelegramPlatform> {
    // A stopped clock: events that are made after each other have the same second.
    const nowMs = Date.now();
    const telegram = await FakeTelegram.start({ now: () => nowMs });
    telegram.app.hasRichMessages = hasRichMessages;
    telegram.app.users.set(OTHER_BOT, { id: OTHER_BOT, first_name: "Other", username: "other_bot", is_bot: true });
    return new TelegramPlatform(telegram);
  }

  get secrets(): readonly string[] {
    return [this.telegram.app.token, SECRET_TOKEN];
  }

  event({ conversation, files = [], isReply, mentionsBob, mentionsBot, sender, text }: TestMessage): TestEvent {
    const { app } = this.telegram;
    const chatId = conversation === "direct" ? ALICE : FORUM;
    const names = [...(mentionsBob === true ? ["@Bob"] : []), ...(mentionsBot === true ? [`@${app.bot.username}`] : [])];
    const [file, ...moreFiles] = files.map(({ name, bytes }) => this.telegram.addFile({ name, bytes, mimeType: "text/plain" }));
    const withAlbum = moreFiles.length > 0 ? { albumId: "12" } : {};
    const fromId = { person: ALICE, self: app.bot.id, "other-bot": OTHER_BOT }[sender];
    const answered = isReply === true ? this.telegram.addMessage({ chatId, fromId: BOB, text: "An earlier message" }).id : undefined;
    const added = this.telegram.addMessage({
      chatId,
      fromId,
      text: [text, ...names].join(" "),
      ...(conversation === "thread" && { threadId: TOPIC }),
      ...(file !== undefined && { file, kind: "document", ...withAlbum }),
      ...(answered !== undefined && { replyTo: answered }),
    });
    const mention = mentionsBot === true ? [{ type: "mention", offset: text.length + 1, length: app.bot.username.length + 1 }] : [];
    const update = telegramMessageUpdate(this.telegram, added, mention.length === 0 ? {} : { entities: mention });
    const id = `${chatId}:${added.id}`;
    const parts = moreFiles.map((one) =>
      telegramMessageUpdate(this.telegram, this.telegram.addMessage({ chatId, fromId, file: one, kind: "document", ...withAlbum })),
    );
    const event = this.expect(() => update, {
      eventId: id,
      messageId: id,
      conversation: this.target(conversation),
      timestampMs: Math.floor(added.atMs / 1_000) * 1_000,
      ...(answered !== undefined && { replyTo: `${chatId}:${answered}` }),
    });
    return { ...event, raw: { ...(event.raw as Raw), parts } satisfies Raw };
  }

  happening(what: TestHappening): TestHappeningEvent {
    return telegramHappening(this, what);
  }

  /** The delivery of an update, and what is expected of it. */
  expect(update: () => TelegramUpdate, expected: Partial<TestEvent["expected"]>): TestEvent {
    return {
      raw: { update } satisfies Raw,
      expected: { eventId: "", messageId: "", conversation: this.target("direct"), senderId: String(ALICE), timestampMs: 0, ...expected },
    };
  }

  async deliver(channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { outbound, update, parts = [] } = event.raw as Raw;
    if (outbound !== undefined) {
      const target = { channel: "chat-sdk", accountId: "second", conversation: this.target("group") };
      const receipt = await channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: "own" });
      return receipt.type === "accepted" ? "acknowledged" : "unacknowledged";
    }
    if (update === undefined) throw new Error("there is nothing to deliver");
    const given = fault === "unknown-kind" ? { update_id: this.telegram.nextUpdateId(), something_new: { odd: true } } : update();
    const isForeign = fault === "signature-wrong" || fault === "other-account";
    const secretToken = fault === "signature-missing" ? undefined : isForeign ? "the_secret-of-another-bot" : SECRET_TOKEN;
    const answers = [given, ...parts].map((part) => this.#post(channel, telegramWebhookRequest(WEBHOOK_URL, part, { secretToken })));
    return (await Promise.all(answers)).find((answer) => answer !== "acknowledged") ?? "acknowledged";
  }

  async press(channel: Channel, { label, messageId }: TestPress): Promise<DeliveryAnswer> {
    const message = this.telegram.sent.find(({ chatId, id }) => `${chatId}:${id}` === messageId);
    const data = message?.buttons.flat().find(({ text }) => text === label)?.callback_data;
    if (message === undefined || data === undefined) throw new Error(`there is no button "${label}" at ${messageId}`);
    const update = telegramPressUpdate(this.telegram, message, { fromId: ALICE, data });
    return this.#post(channel, telegramWebhookRequest(WEBHOOK_URL, update, { secretToken: SECRET_TOKEN }));
  }

  command({ argumentsText, name }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const added = this.telegram.addMessage({ chatId: ALICE, fromId: ALICE, text: `/${name} ${argumentsText}` });
    const entities = [{ type: "bot_command", offset: 0, length: name.length + 1 }];
    const update = telegramMessageUpdate(this.telegram, added, { entities });
    return this.expect(() => update, { messageId: `${ALICE}:${added.id}` });
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    const headers = { "x-telegram-bot-api-secret-token": SECRET_TOKEN };
    return this.#post(channel, new Request(WEBHOOK_URL, { method: "POST", headers, body: new Uint8Array(bytes) }));
  }

  handshake(): Promise<boolean> {
    throw new Error("this platform does not check an address");
  }

  disconnect(): void {
    throw new Error("there is no connection");
  }

  connected(): Promise<void> {
    return Promise.resolve();
  }

  readonly openConnections = 0;

  typing(): readonly string[] {
    return this.telegram.typing.map(({ chatId }) => `telegram:${chatId}`);
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return conversationOf(ALICE);
    return kind === "unknown" ? conversationOf(-4_040_404) : conversationOf(FORUM, kind === "thread" ? TOPIC : undefined);
  }

  get shown(): readonly ShownMessage[] {
    return this.telegram.sent.map(({ buttons, chatId, deleted, file, id, isSilent, pinned, reactions, replyTo, text, threadId }) => ({
      messageId: `${chatId}:${id}`,
      conversationId: `telegram:${chatId}`,
      inThread: threadId !== undefined,
      ...(replyTo !== undefined && { replyTo: `${chatId}:${replyTo}` }),
      text,
      deleted,
      reactions,
      ...(file !== undefined && { file }),
      notifiedAll: false,
      card: { text, buttons: buttons.flat().map((button) => button.text), inputs: [] },
      silent: isSilent === true,
      pinned,
    }));
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

  async #post(channel: Channel, request: Request): Promise<DeliveryAnswer> {
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}

function faultOf(fault: SendFault): TelegramFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "rate-limit", seconds: fault.delayMs / 1_000 };
    case "server-error":
      return { type: "http", status: 502 };
    case "forbidden":
      return { type: "refuse", code: 403, description: "Forbidden: bot was blocked by the user" };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "accept-then-garbage" };
    case "held":
      return { type: "hold" };
  }
}
