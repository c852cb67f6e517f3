import { createHmac } from "node:crypto";
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
import { messageId } from "@factotum/channel-contract";
import { FakeWebhookService } from "@factotum/testing-channels";
import type { Channel, Conversation } from "@factotum/channel-contract";
import type { WebhookConfig } from "../src/index.ts";

const DAY_MS = 24 * 60 * 60_000;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

interface RawEvent {
  readonly eventId: string;
  readonly body: { readonly sender: { readonly self: boolean } } & Readonly<Record<string, unknown>>;
}

/** A service behind the suite's interface. */
export class WebhookPlatform implements ConformancePlatform {
  readonly transport = "webhook";
  readonly openConnections = 0;
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: true,
    massMention: "",
    files: true,
  };
  readonly #service: FakeWebhookService;
  #events = 0;

  private constructor(service: FakeWebhookService) {
    this.#service = service;
  }

  static async start(): Promise<WebhookPlatform> {
    return new WebhookPlatform(await FakeWebhookService.start());
  }

  get secrets(): readonly string[] {
    return [this.#service.secret];
  }

  settings(credential: "right" | "wrong"): WebhookConfig {
    return { secret: credential === "right" ? this.#service.secret : OTHER_SECRET, outboundUrl: this.#service.outboundUrl };
  }

  event(message: TestMessage): TestEvent {
    const { conversation, timestampMs, eventId } = this.#next(message.conversation);
    const id = `message-${this.#events}`;
    const mentions = [
      ...(message.mentionsBot === true ? [{ id: "factotum", name: "Factotum" }] : []),
      ...(message.mentionsBob === true ? [{ id: "bob", name: "Bob" }] : []),
    ];
    const attachments = (message.files ?? []).map(({ name, bytes }, index) => {
      const path = `/files/${this.#events}-${index}`;
      this.#service.files.set(path, bytes);
      return { url: `${this.#service.url}${path}`, name, sizeBytes: bytes.byteLength };
    });
    const body = {
      type: "message",
      id,
      timestampMs,
      conversation: wireConversation(conversation),
      sender: { id: "alice", name: "Alice", bot: message.sender !== "person", self: message.sender === "self" },
      text: [message.text, ...mentions.map(({ name }) => `@${name}`)].join(" "),
      mentionsBot: message.mentionsBot === true,
      mentions: mentions.filter(({ id: mentioned }) => mentioned !== "factotum"),
      ...(message.isReply === true && { replyTo: { id: "earlier", text: "what was said before" } }),
      attachments,
    };
    const replyTo = message.isReply === true ? { replyTo: "earlier" } : {};
    return { raw: { eventId, body }, expected: { eventId, messageId: id, conversation, senderId: "alice", timestampMs, ...replyTo } };
  }

  happening(what: TestHappening): TestHappeningEvent {
    const before = this.event({ text: "a message", conversation: "group", sender: "person" });
    const { conversation, timestampMs, eventId } = this.#next("group");
    const targetId = before.expected.messageId;
    const change = happeningOf(what);
    const body = {
      targetId,
      timestampMs,
      conversation: wireConversation(conversation),
      sender: { id: "alice", name: "Alice", bot: false, self: false },
      ...change,
    };
    return {
      before,
      event: { raw: { eventId, body }, expected: { eventId, messageId: eventId, conversation, senderId: "alice", timestampMs } },
      expected: expectedOf(change, targetId),
      ...(change.type === "edit" && { text: change.text }),
    };
  }

  deliver(channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { eventId, body } = event.raw as RawEvent;
    const bytes = Buffer.from(JSON.stringify(fault === "unknown-kind" ? { ...body, type: "something-new" } : body));
    const shiftMs = { stale: -DAY_MS, early: DAY_MS }[String(fault)] ?? 0;
    // An account knows its service by the secret alone.
    const isForeign = fault === "signature-wrong" || fault === "other-account";
    const headers = this.#service.sign(bytes, eventId, {
      date: new Date(Date.now() + shiftMs),
      ...(isForeign && { secret: OTHER_SECRET }),
    });
    const sent = fault === "tampered" ? Buffer.from(bytes.toString("utf8").replace("message", "massage")) : bytes;
    return post(channel, sent, fault === "signature-missing" ? {} : headers);
  }

  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    this.#events += 1;
    // The reference library signs texts; these bytes may be none.
    return post(channel, bytes, signBytes(bytes, `event-${this.#events}`, this.#service.secret));
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "alice" };
    if (kind === "thread") return { kind: "group", id: "room", threadId: "topic-1" };
    return { kind: "group", id: kind === "unknown" ? "nowhere" : "room" };
  }

  get shown(): readonly ShownMessage[] {
    return this.#service.received.map(({ id, conversation, text, replyTo, attachments: [file] = [] }) => ({
      messageId: id,
      conversationId: conversation.id,
      inThread: conversation.thread !== undefined,
      text,
      deleted: false,
      reactions: [],
      notifiedAll: false,
      ...(replyTo !== undefined && { replyTo }),
      ...(file !== undefined && { file: { name: file.name ?? "", bytes: Buffer.from(file.data, "base64"), isVoice: file.voice === true } }),
    }));
  }

  get sendRequests(): number {
    return this.#service.sendRequests;
  }

  sendRequested(count: number): Promise<void> {
    return this.#service.sendRequested(count);
  }

  failNextSend(fault: SendFault): void {
    this.#service.failNextSend(fault);
  }

  release(): void {
    this.#service.release();
  }

  async shutDown(): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
  }

  // Unsupported by this platform, so never called.
  handshake(): Promise<boolean> {
    return Promise.reject(new Error("a service does not check addresses"));
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  revokeTokens(): void {
    throw new Error("secrets are not exchanged");
  }

  disconnect(): void {
    throw new Error("a service keeps no connection");
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("a service keeps no connection"));
  }

  #next(kind: "direct" | "group" | "thread") {
    this.#events += 1;
    return { conversation: this.target(kind), timestampMs: 1_767_225_600_000 + this.#events, eventId: `event-${this.#events}` };
  }
}

type Change =
  | { readonly type: "edit"; readonly text: string }
  | { readonly type: "delete" }
  | { readonly type: "reaction"; readonly emoji: string; readonly removed: boolean };

function happeningOf(what: TestHappening): Change {
  switch (what) {
    case "edit":
      return { type: "edit", text: "a better message" };
    case "delete":
      return { type: "delete" };
    case "reaction":
    case "reaction-taken-back":
      return { type: "reaction", emoji: "👍", removed: what === "reaction-taken-back" };
    default:
      throw new Error(`a service has no ${what}`);
  }
}

function expectedOf(change: Change, target: string): TestHappeningEvent["expected"] {
  const targetId = messageId(target);
  return change.type === "reaction" ? { ...change, targetId } : { type: change.type, targetId };
}

function wireConversation({ kind, id, threadId }: Conversation): object {
  return { kind, id, ...(threadId !== undefined && { thread: threadId }) };
}

function signBytes(bytes: Uint8Array, id: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(bytes).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

async function post(channel: Channel, body: Uint8Array, headers: Record<string, string>): Promise<DeliveryAnswer> {
  const request = new Request("http://127.0.0.1/channels/webhook/second", { method: "POST", body: Buffer.from(body), headers });
  const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(10_000) });
  if (status === 200) return "acknowledged";
  return status >= 500 ? "unacknowledged" : "refused";
}
