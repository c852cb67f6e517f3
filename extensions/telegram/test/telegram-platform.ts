import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, InboundEvent, Outbound } from "@factotum/channel-contract";
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
import {
  FakeTelegram,
  telegramMessageUpdate,
  telegramOwnMemberUpdate,
  telegramPressUpdate,
  telegramReactionUpdate,
  telegramUserOf,
  telegramVoteUpdate,
  telegramWebhookRequest,
} from "@factotum/testing-channels";
import type { TelegramFault, TelegramMessage, TelegramUpdate } from "@factotum/testing-channels";

const WEBHOOK_URL = "http://127.0.0.1/channels/telegram/second";
const ALICE = 1001;
const BOB = 1002;
const OTHER_BOT = 2001;
const FORUM = -1_001_000_000_001;
const GROUP = -2001;
const TOPIC = 77;

/** The secret of the webhook under test. */
export const SECRET_TOKEN = "the_secret-of-the-webhook";

/** What is delivered: an update, or something that the channel sends itself and the update about it. */
interface Raw {
  readonly outbound?: Outbound;
  readonly update?: () => TelegramUpdate;
}

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
    const telegram = await FakeTelegram.start();
    telegram.app.users.set(OTHER_BOT, { id: OTHER_BOT, first_name: "Other", username: "other_bot", is_bot: true });
    return new TelegramPlatform(telegram, transport);
  }

  get secrets(): readonly string[] {
    return [this.telegram.app.token, SECRET_TOKEN];
  }

  event(message: TestMessage): TestEvent {
    const { app } = this.telegram;
    const { text, entities } = withMentions(message, app.bot.username);
    const [file] = (message.files ?? []).map(({ name, bytes }) => this.telegram.addFile({ name, bytes, mimeType: "text/plain" }));
    const chatId = message.conversation === "direct" ? ALICE : FORUM;
    const fromId = { person: ALICE, self: app.bot.id, "other-bot": OTHER_BOT }[message.sender];
    const answered =
      message.isReply === true ? this.telegram.addMessage({ chatId, fromId: BOB, text: "An earlier message" }).id : undefined;
    const added = this.telegram.addMessage({
      chatId,
      fromId,
      text,
      ...(message.conversation === "thread" && { threadId: TOPIC }),
      ...(file !== undefined && { file, kind: "document" }),
      ...(answered !== undefined && { replyTo: answered }),
    });
    const more = entities.length === 0 ? {} : { entities };
    return this.#event(telegramMessageUpdate(this.telegram, added, more), {
      messageId: String(added.id),
      conversation: this.target(message.conversation),
      timestampMs: Math.floor(added.atMs / 1_000) * 1_000,
      ...(answered !== undefined && { replyTo: String(answered) }),
    });
  }

  happening(what: TestHappening): TestHappeningEvent {
    const { telegram } = this;
    const { app } = telegram;
    const before = this.event({ text: "before", conversation: "group", sender: "person" });
    const target = telegram.addMessage({ chatId: FORUM, fromId: ALICE, text: "The target" });
    const facts = { messageId: String(target.id), conversation: this.target("group") };
    const at = { ...facts, timestampMs: Math.floor(app.now() / 1_000) * 1_000 };
    const of = (update: TelegramUpdate, expected: InboundEvent, more: Partial<TestEvent["expected"]> = {}): TestHappeningEvent => ({
      before,
      event: this.#event(update, { ...at, ...more }),
      expected,
      ...(what === "edit" && { text: "after" }),
    });
    const targetId = messageId(String(target.id));
    switch (what) {
      case "edit": {
        target.text = "after";
        target.edits = 1;
        return of(telegramMessageUpdate(telegram, target), { type: "edit", targetId });
      }
      case "reaction":
      case "reaction-taken-back": {
        const removed = what === "reaction-taken-back";
        const [none, one]: [string[], string[]] = [[], ["👍"]];
        const change = { fromId: ALICE, before: removed ? one : none, after: removed ? none : one };
        return of(telegramReactionUpdate(telegram, target, change), { type: "reaction", targetId, emoji: "👍", removed });
      }
      case "joined":
      case "left": {
        const user = telegramUserOf(app, BOB);
        const service = what === "joined" ? { new_chat_members: [user] } : { left_chat_member: user };
        const update = telegramMessageUpdate(telegram, target, { text: undefined, ...service });
        return of(update, { type: "member", change: what, member: { id: String(BOB), name: "Bob", isSelf: false } });
      }
      case "bot-joined": {
        const update = telegramOwnMemberUpdate(telegram, { chatId: FORUM, fromId: ALICE, before: "left", after: "member" });
        const member = { id: String(app.bot.id), name: app.bot.firstName, isSelf: true };
        return of(update, { type: "member", change: "joined", member }, { messageId: String(update.update_id) });
      }
      case "press":
        return this.#ownMessage(
          { type: "card", card: { body: "A card", buttons: [{ actionId: "approve", label: "Approve", value: "yes", style: "default" }] } },
          (sent, ids) => telegramPressUpdate(telegram, sent, { fromId: ALICE, data: sent.buttons[0]?.[0]?.callback_data ?? "" }, ids),
          (id) => ({ type: "action", actionId: "approve", value: "yes", targetId: id }),
        );
      case "vote":
        return this.#ownMessage(
          { type: "poll", poll: { question: "Tea?", options: ["Green", "Black"], multiple: true } },
          (sent, ids) => telegramVoteUpdate(telegram, sent, { fromId: ALICE, options: [1] }, ids),
          (id) => ({ type: "vote", targetId: id, options: ["Black"] }),
        );
      case "delete":
      case "receipt":
        throw new Error(`Telegram's channel passes on no ${what}`);
    }
  }

  moved(): TestHappeningEvent {
    const { telegram } = this;
    const note = telegram.addMessage({ chatId: GROUP, fromId: ALICE });
    const update = telegramMessageUpdate(telegram, note, { text: undefined, migrate_to_chat_id: FORUM });
    return {
      event: this.#event(update, { messageId: String(note.id), conversation: { kind: "group", id: String(GROUP) } }),
      expected: { type: "moved", to: { kind: "group", id: String(FORUM) } },
    };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { outbound, update } = event.raw as Raw;
    if (outbound !== undefined) {
      const target = { channel: "telegram", accountId: "second", conversation: this.target("group") };
      const receipt = await channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: "own" });
      return receipt.type === "accepted" ? "acknowledged" : "unacknowledged";
    }
    if (update === undefined) throw new Error("there is nothing to deliver");
    return this.#deliver(channel, withFault(update(), options.fault), options.fault);
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
    return this.#event(telegramMessageUpdate(this.telegram, added, { entities }), { messageId: String(added.id) });
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
          ...(file !== undefined && { file }),
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

  /** An event about a message of the channel itself, which is sent first: only it knows what is behind its buttons and polls. */
  #ownMessage(
    outbound: Outbound,
    update: (sent: TelegramMessage, ids: { readonly updateId: number; readonly pressId: string }) => TelegramUpdate,
    expected: (id: ReturnType<typeof messageId>) => InboundEvent,
  ): TestHappeningEvent {
    const { telegram } = this;
    const id = telegram.store.nextId;
    const ids = { updateId: telegram.nextUpdateId(), pressId: telegram.press() };
    const known = this.#event({ update_id: ids.updateId }, { conversation: this.target("group"), timestampMs: 0 });
    return {
      before: { ...known, raw: { outbound } satisfies Raw },
      event: {
        ...known,
        raw: {
          update: () => {
            const sent = telegram.sent.find((message) => message.id === id);
            if (sent === undefined) throw new Error("the message was not sent");
            return update(sent, ids);
          },
        } satisfies Raw,
      },
      expected: expected(messageId(String(id))),
    };
  }

  #event(update: TelegramUpdate, expected: Partial<TestEvent["expected"]> = {}): TestEvent {
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

function isForeign(fault: DeliveryFault | undefined): boolean {
  return fault === "signature-wrong" || fault === "other-account";
}

function withFault(update: TelegramUpdate, fault: DeliveryFault | undefined): TelegramUpdate {
  return fault === "unknown-kind" ? { update_id: update.update_id, something_new: { odd: true } } : update;
}

function withMentions(
  { text, mentionsBob, mentionsBot }: TestMessage,
  username: string,
): { readonly text: string; readonly entities: readonly object[] } {
  const names = [
    ...(mentionsBob === true ? [{ name: "Bob", type: "text_mention", user: { id: BOB, is_bot: false, first_name: "Bob" } }] : []),
    ...(mentionsBot === true ? [{ name: `@${username}`, type: "mention" }] : []),
  ];
  let whole = text;
  const entities = names.map(({ name, ...entity }) => {
    whole = `${whole} ${name}`;
    return { ...entity, offset: whole.length - name.length, length: name.length };
  });
  return { text: whole, entities };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
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
    case "held":
      return { type: "hold" };
  }
}
