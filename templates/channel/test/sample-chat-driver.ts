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
import { FakeSampleChat } from "./fake-sample-chat.ts";

/** What the suite needs of Sample Chat whatever way its events take: the fake server behind the suite's interface. */
export abstract class SampleChatDriver<Fake extends FakeSampleChat> implements ConformancePlatform {
  readonly fake: Fake;
  abstract readonly transport: ConformancePlatform["transport"];
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: false,
  };
  #messages = 0;

  constructor(fake: Fake) {
    this.fake = fake;
  }

  abstract get openConnections(): number;
  abstract deliver(channel: Channel, event: TestEvent, options?: { readonly fault?: DeliveryFault }): Promise<DeliveryAnswer>;
  abstract deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer>;
  abstract disconnect(): void;
  abstract connected(count: number): Promise<void>;

  get secrets(): readonly string[] {
    return [this.fake.token];
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
      ...(replyTo !== undefined && { replyTo }),
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

  revokeTokens(): void {
    throw new Error("Sample Chat's tokens are not exchanged");
  }

  /** True for an event of the bot's own message, which a channel does not pass on. */
  protected isOwn({ raw }: TestEvent): boolean {
    return (raw as { readonly message: { readonly sender: { readonly id: string } } }).message.sender.id === this.fake.botId;
  }

  /** The payload of an event with a fault. */
  protected payloadOf(event: TestEvent, fault: DeliveryFault | undefined): object {
    return {
      ...(event.raw as object),
      ...(fault === "other-account" ? { bot_id: "bot_9" } : {}),
      ...(fault === "unknown-kind" ? { type: "something_new" } : {}),
    };
  }
}
