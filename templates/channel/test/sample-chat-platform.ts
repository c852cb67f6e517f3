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
} from "@factotum/channel-conformance";
import type { Channel, Conversation } from "@factotum/channel-contract";
import { signBody, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../src/transport/verify-webhook.ts";
import { FakeSampleChat } from "./fake-sample-chat.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Sample Chat for the conformance suite: the fake server behind the suite's interface. */
export class SampleChatPlatform implements ConformancePlatform {
  readonly fake: FakeSampleChat;
  readonly transport = "webhook";
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: false,
  };
  readonly openConnections = 0;
  #messages = 0;

  private constructor(fake: FakeSampleChat) {
    this.fake = fake;
  }

  static async start(): Promise<SampleChatPlatform> {
    return new SampleChatPlatform(await FakeSampleChat.start());
  }

  get secrets(): readonly string[] {
    return [this.fake.token, this.fake.signingSecret];
  }

  happening(what: TestHappening): TestHappeningEvent {
    throw new Error(`there is no ${what} on this platform`);
  }

  event(message: TestMessage): TestEvent {
    this.#messages += 1;
    const [eventId, messageId] = [`event-${this.#messages}`, `message-${this.#messages}`];
    const conversation = this.target(message.conversation);
    const timestampMs = 1_767_225_600_000 + this.#messages;
    const mentions = [
      ...(message.mentionsBot === true ? [{ id: this.fake.botId, name: "Factotum" }] : []),
      ...(message.mentionsBob === true ? [{ id: "u_bob", name: "Bob" }] : []),
    ];
    const raw = {
      type: "message",
      event_id: eventId,
      bot_id: this.fake.botId,
      sent_at_ms: timestampMs,
      message: {
        id: messageId,
        chat: conversation,
        sender: {
          id: { person: "u_alice", self: this.fake.botId, "other-bot": "bot_2" }[message.sender],
          is_bot: message.sender !== "person",
        },
        text: [message.text, ...mentions.map(({ name }) => `@${name}`)].join(" "),
        mentions,
        ...(message.isReply === true ? { reply_to: "m_earlier" } : {}),
      },
    };
    const replyTo = message.isReply === true ? { replyTo: "m_earlier" } : {};
    return { raw, expected: { eventId, messageId, conversation, senderId: "u_alice", timestampMs, ...replyTo } };
  }

  deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { fault } = options;
    const payload = {
      ...(event.raw as object),
      ...(fault === "other-account" ? { bot_id: "bot_9" } : {}),
      ...(fault === "unknown-kind" ? { type: "something_new" } : {}),
    };
    const body = Buffer.from(JSON.stringify(payload));
    const skewSeconds = { stale: -DAY_SECONDS, early: DAY_SECONDS }[String(fault)] ?? 0;
    const timestamp = String(Math.floor(Date.now() / 1_000) + skewSeconds);
    const secret = fault === "signature-wrong" ? "another-secret" : this.fake.signingSecret;
    const headers = { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signBody(body, timestamp, secret) };
    const sentBody = fault === "tampered" ? Buffer.from(body.toString("utf8").replace("message", "massage")) : body;
    return this.#post(channel, sentBody, fault === "signature-missing" ? {} : headers);
  }

  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = signBody(bytes, timestamp, this.fake.signingSecret);
    return this.#post(channel, bytes, { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signature });
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "dm_alice" };
    return { kind: "group", id: kind === "unknown" ? "room_nowhere" : "room_1" };
  }

  get shown(): readonly ShownMessage[] {
    return this.fake.sent.map(({ id, chatId, text, replyTo }) => ({
      messageId: id,
      conversationId: chatId,
      inThread: false,
      text,
      deleted: false,
      reactions: [],
      notifiedAll: false,
      ...(replyTo === undefined ? {} : { replyTo }),
    }));
  }

  get sendRequests(): number {
    return this.fake.sendRequests;
  }

  sendRequested(count: number): Promise<void> {
    return this.fake.sendRequested(count);
  }

  failNextSend(fault: SendFault): void {
    this.fake.failNextSend(fault);
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  release(): void {
    this.fake.release();
  }

  async shutDown(): Promise<void> {
    await this.fake[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fake[Symbol.asyncDispose]();
  }

  // Unsupported by this platform, so never called.
  handshake(): Promise<boolean> {
    return Promise.reject(new Error("Sample Chat does not check addresses"));
  }

  disconnect(): void {
    throw new Error("Sample Chat keeps no connection");
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("Sample Chat keeps no connection"));
  }

  revokeTokens(): void {
    throw new Error("Sample Chat's tokens are not exchanged");
  }

  async #post(channel: Channel, body: Uint8Array, headers: Record<string, string>): Promise<DeliveryAnswer> {
    const request = new Request("http://127.0.0.1/channels/sample-chat/second", { method: "POST", body: Buffer.from(body), headers });
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(10_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}
