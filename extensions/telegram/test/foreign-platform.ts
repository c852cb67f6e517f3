import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Channel, Conversation } from "@factotum/channel-contract";
import type {
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
  TestPress,
} from "@factotum/channel-conformance";
import { parseTelegramHtml, telegramWebhookRequest } from "@factotum/testing-channels";
import * as testApi from "telegram-test-api";
import { BOT, foreignHappening } from "./foreign-happenings.ts";
import type { Update } from "./foreign-happenings.ts";
import { withMentions } from "./mention-entities.ts";
import { ALICE, FORUM } from "./scene.ts";
import { SECRET_TOKEN } from "./telegram-platform.ts";

/** The package exports the class itself, and its types say otherwise. */
const TelegramServer = testApi.default as unknown as typeof testApi.default.default;
type Server = InstanceType<typeof TelegramServer>;

const WEBHOOK_URL = "http://127.0.0.1/channels/telegram/second";
const TOKEN = ["110201543", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"].join(":");
const TOPIC = 77;

/** A message of the bot, as that server keeps it. */
interface Kept {
  readonly messageId: number;
  readonly message: {
    readonly chat_id: string | number;
    readonly text?: string;
    readonly message_thread_id?: number;
    readonly disable_notification?: boolean;
    readonly reply_parameters?: { readonly message_id: number };
    readonly reply_markup?: {
      readonly inline_keyboard?: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
    };
  };
}

/** The server of the npm package `telegram-test-api`, which others wrote, behind the suite's interface. It takes texts, edits, deletions and buttons. */
export class ForeignPlatform implements ConformancePlatform {
  readonly token: string = TOKEN;
  readonly transport = "webhook";
  readonly secrets: readonly string[] = [TOKEN, SECRET_TOKEN];
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: false,
  };
  readonly #server: Server;
  readonly #sent: Kept[] = [];
  #changes = 0;
  #count = 5_000;
  #isStopped = false;

  private constructor(server: Server) {
    this.#server = server;
    server.on("AddedBotMessage", () => {
      this.#changes += 1;
      const added = server.storage.botMessages.at(-1);
      if (added !== undefined) this.#sent.push(added as unknown as Kept);
    });
    server.on("EditedMessageText", () => void (this.#changes += 1));
  }

  static async start(): Promise<ForeignPlatform> {
    const server = new TelegramServer({ port: await freePort(), host: "127.0.0.1" });
    await server.start();
    return new ForeignPlatform(server);
  }

  get baseUrl(): string {
    return this.#server.config.apiURL;
  }

  event(message: TestMessage): TestEvent {
    const from = { person: ALICE, self: BOT, "other-bot": 2001 }[message.sender];
    const { text, entities } = withMentions(message, "TestNameBot");
    const answered = message.isReply === true ? (this.#count += 1) : undefined;
    const chat =
      message.conversation === "direct"
        ? { id: ALICE, type: "private" }
        : { id: FORUM, type: "supergroup", title: "Forum", is_forum: true };
    const base = { chat, date: 1_700_000_000, from: { id: from, is_bot: message.sender !== "person", first_name: "Alice" } };
    return this.#event(
      {
        ...base,
        text,
        entities,
        ...(message.conversation === "thread" && { message_thread_id: TOPIC, is_topic_message: true }),
        ...(answered !== undefined && { reply_to_message: { ...base, message_id: answered, text: "An earlier message" } }),
      },
      this.target(message.conversation),
      answered,
    );
  }

  /** The next id of a message, an update or a press. */
  nextId(): number {
    this.#count += 1;
    return this.#count;
  }

  happening(what: TestHappening): TestHappeningEvent {
    return foreignHappening(this, what);
  }

  moved(): TestHappeningEvent {
    const event = this.#event(
      {
        chat: { id: -2001, type: "group", title: "Family" },
        date: 1_700_000_000,
        from: { id: ALICE, is_bot: false, first_name: "Alice" },
        migrate_to_chat_id: FORUM,
      },
      { kind: "group", id: "-2001" },
    );
    return { event, expected: { type: "moved", to: { kind: "group", id: String(FORUM) } } };
  }

  command({ name, argumentsText }: { readonly name: string; readonly argumentsText: string }): TestEvent {
    const event = this.event({ text: `/${name} ${argumentsText}`, conversation: "direct", sender: "person" });
    const raw = event.raw as { readonly update_id: number; readonly message: object };
    return {
      ...event,
      raw: { ...raw, message: { ...raw.message, entities: [{ type: "bot_command", offset: 0, length: name.length + 1 }] } },
    };
  }

  async press(channel: Channel, { messageId: id, label }: TestPress): Promise<DeliveryAnswer> {
    const card = this.#sent.find((kept) => String(kept.messageId) === id);
    const button = card?.message.reply_markup?.inline_keyboard?.flat().find(({ text }) => text === label);
    const message = { message_id: Number(id), chat: { id: ALICE, type: "private" }, date: 1_700_000_000 };
    const from = { id: ALICE, is_bot: false, first_name: "Alice" };
    return this.#post(
      channel,
      {
        update_id: this.nextId(),
        callback_query: { id: String(this.nextId()), from, message, data: button?.callback_data },
      },
      SECRET_TOKEN,
    );
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { fault } = options;
    const update = event.raw as Update;
    const isForeign = fault === "signature-wrong" || fault === "other-account";
    const secretToken = fault === "signature-missing" ? undefined : isForeign ? "the_secret-of-another-bot" : SECRET_TOKEN;
    return this.#post(channel, fault === "unknown-kind" ? { update_id: update.update_id, something_new: {} } : update, secretToken);
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    const headers = { "x-telegram-bot-api-secret-token": SECRET_TOKEN };
    return answerOf(
      await channel.handleWebhook(new Request(WEBHOOK_URL, { method: "POST", headers, body: new Uint8Array(bytes) }), {
        signal: AbortSignal.timeout(60_000),
      }),
    );
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: String(ALICE) };
    return { kind: "group", id: String(FORUM), ...(kind === "thread" && { threadId: String(TOPIC) }) };
  }

  get shown(): readonly ShownMessage[] {
    return this.#sent.map((kept) => {
      const { message } = kept;
      const { text } = parseTelegramHtml(message.text ?? "");
      return {
        messageId: String(kept.messageId),
        conversationId: String(message.chat_id),
        inThread: message.message_thread_id !== undefined,
        ...(message.reply_parameters !== undefined && { replyTo: String(message.reply_parameters.message_id) }),
        text: text.trim(),
        deleted: !this.#server.storage.botMessages.some((one) => one.messageId === kept.messageId),
        reactions: [],
        notifiedAll: false,
        card: { text, buttons: (message.reply_markup?.inline_keyboard ?? []).flat().map((button) => button.text), inputs: [] },
        silent: message.disable_notification === true,
      };
    });
  }

  get sendRequests(): number {
    return this.#changes;
  }

  async shutDown(): Promise<void> {
    this.#isStopped = true;
    await this.#server.stop();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isStopped) await this.#server.stop();
  }

  menu(): readonly string[] {
    return [];
  }
  release(): void {
    // Nothing is held back.
  }
  readonly openConnections = 0;
  menuSet = cannot;
  handshake = cannot;
  disconnect = cannot;
  connected = cannot;
  sendRequested = cannot;
  failNextSend = cannot;
  refuseReads = cannot;
  revokeTokens = cannot;

  #event(message: Readonly<Record<string, unknown>>, conversation: Conversation, replyTo?: number): TestEvent {
    const id = this.nextId();
    return {
      raw: { update_id: id, message: { ...message, message_id: id } } satisfies Update,
      expected: {
        eventId: String(id),
        messageId: String(id),
        conversation,
        senderId: String(ALICE),
        timestampMs: 1_700_000_000_000,
        ...(replyTo !== undefined && { replyTo: String(replyTo) }),
      },
    };
  }

  async #post(channel: Channel, update: Update, secretToken: string | undefined): Promise<DeliveryAnswer> {
    const request = telegramWebhookRequest(WEBHOOK_URL, update, { secretToken });
    return answerOf(await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) }));
  }
}

function cannot(): never {
  throw new Error("that server cannot do this");
}

function answerOf({ status }: Response): DeliveryAnswer {
  if (status === 200) return "acknowledged";
  return status >= 500 ? "unacknowledged" : "refused";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
