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
} from "@factotum/channel-conformance";
import { FakeFeishu, feishuChallengeRequest, feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type {
  FeishuCard,
  FeishuEnvelope,
  FeishuFault,
  FeishuMention,
  FeishuSentMessage,
  FeishuWebhookOptions,
} from "@factotum/testing-channels";

import { SCOPES } from "../src/account/scopes.ts";
import { buttonValue } from "../src/card-value.ts";
import { INPUT_PREFIX, shownCard } from "./shown-card.ts";

const WEBHOOK_URL = "http://127.0.0.1/channels/feishu/second";
const DAY_MS = 24 * 60 * 60_000;
const BOB: FeishuMention = { key: "@_user_2", openId: "ou_bob", name: "Bob" };
const PRESSED: TestMessage = { text: "", conversation: "direct", sender: "person" };
const THREAD_ROOT = "om_thread_root";
/** What people see of the reactions of the suite. */
const EMOJI: Readonly<Record<string, string>> = { THUMBSUP: "👍", PARTY: "🎉" };

/** Feishu for the conformance suite: the fake server behind the suite's interface. */
export class FeishuPlatform implements ConformancePlatform {
  readonly feishu: FakeFeishu;
  readonly transport: "webhook" | "connection";
  readonly directory: NonNullable<ConformancePlatform["directory"]> = {
    person: { id: "ou_alice", name: "Alice" },
    group: { id: "oc_group", name: "The group" },
  };
  readonly features: ConformancePlatform["features"] = {
    handshake: true,
    renewableToken: true,
    otherBots: true,
    massMention: '<at user_id="all">everyone</at>',
    files: true,
  };
  #messages = 0;

  private constructor(feishu: FakeFeishu, transport: "webhook" | "connection") {
    this.feishu = feishu;
    this.transport = transport;
    for (const messageId of [THREAD_ROOT, "om_earlier"])
      feishu.addInbound({ messageId, chatId: "oc_group", senderOpenId: "ou_bob", content: { text: "An earlier word" }, isUnlisted: true });
    for (const { scope } of Object.values(SCOPES)) feishu.app.scopes.add(scope);
    feishu.app.chatInfo.set("oc_group", { name: "The group", members: [{ openId: "ou_alice", name: "Alice" }] });
  }

  static async start(transport: "webhook" | "connection"): Promise<FeishuPlatform> {
    return new FeishuPlatform(await FakeFeishu.start(), transport);
  }

  get secrets(): readonly string[] {
    const { appSecret, encryptKey, verificationToken } = this.feishu.app;
    return [appSecret, encryptKey, verificationToken, "Bearer "];
  }

  event(message: TestMessage): TestEvent {
    const { app } = this.feishu;
    this.#messages += 1;
    const messageId = `om_message_${this.#messages}`;
    const eventId = `event-${this.#messages}`;
    const chatId = message.conversation === "direct" ? "oc_dm" : "oc_group";
    const inThread = message.conversation === "thread";
    const createTimeMs = 1_767_225_600_000 + this.#messages;
    this.feishu.addInbound({ messageId, chatId });
    const raw = feishuMessageEvent(app, {
      ...this.#contentOf(message, messageId),
      chatId,
      chatType: message.conversation === "direct" ? "p2p" : "group",
      messageId,
      eventId,
      createTimeMs,
      senderType: message.sender === "person" ? "user" : "app",
      senderOpenId: { person: "ou_alice", self: app.bot.openId, "other-bot": "ou_other_bot" }[message.sender],
      ...(inThread && { threadId: "omt_thread", rootId: THREAD_ROOT }),
      ...(message.isReply === true && { parentId: "om_earlier", rootId: "om_earlier" }),
    });
    return {
      raw,
      expected: {
        eventId,
        messageId,
        conversation: this.target(message.conversation),
        senderId: "ou_alice",
        timestampMs: createTimeMs,
        ...(message.isReply === true && { replyTo: "om_earlier" }),
        context: { senderName: "Alice", subject: "The group", quoted: "An earlier word" },
      },
    };
  }

  happening(what: TestHappening): TestHappeningEvent {
    const before = this.event({ text: "a word", conversation: "group", sender: "person" });
    const targetId = messageId(before.expected.messageId);
    this.feishu.addInbound({ messageId: targetId, chatId: "oc_group", senderOpenId: "ou_alice" });
    const { eventType, event, expected } = happeningOf(what, targetId, this.feishu.app.bot.openId);
    const raw = feishuEnvelope(this.feishu.app, { eventType, event, eventId: `happening-${what}` });
    const { event_id: eventId, create_time: time } = raw.header;
    const facts = { ...before.expected, eventId, timestampMs: Number(time) };
    // A callback names microseconds.
    const header = what === "press" ? { ...raw.header, create_time: `${time}000` } : raw.header;
    return { before, event: { raw: { ...raw, header }, expected: facts }, expected };
  }

  async deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { fault } = options;
    const payload = withFault(event.raw as FeishuEnvelope, fault);
    if (this.transport === "connection")
      return (await this.feishu.longConnection.deliver(payload)) === 200 ? "acknowledged" : "unacknowledged";
    return this.#post(channel, feishuWebhookRequest(this.feishu.app, WEBHOOK_URL, payload, spoiled(fault, this.feishu.app.now())));
  }

  async press(channel: Channel, { messageId: id, label, inputs = {} }: TestPress): Promise<DeliveryAnswer> {
    const form = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [INPUT_PREFIX + name, value]));
    return this.deliver(channel, { raw: this.feishu.press(id, { label, form }), expected: this.event(PRESSED).expected });
  }

  async deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    if (this.transport === "webhook") return this.#post(channel, new Request(WEBHOOK_URL, { method: "POST", body: bytes }));
    this.feishu.longConnection.sendGarbage(bytes);
    return "refused";
  }

  async handshake(channel: Channel, options: { readonly token: "right" | "wrong" }): Promise<boolean> {
    const answers = await Promise.all(
      [true, false].map(async (encrypt) => {
        const challenge = `challenge-${encrypt}`;
        const request = feishuChallengeRequest(this.feishu.app, WEBHOOK_URL, {
          challenge,
          encrypt,
          ...(options.token === "wrong" && { token: "wrong" }),
        });
        const response = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
        return response.status === 200 && ((await response.json()) as { challenge?: unknown }).challenge === challenge;
      }),
    );
    if (new Set(answers).size !== 1) throw new Error("the plain and the encrypted challenge are answered differently");
    return answers[0] === true;
  }

  disconnect(): void {
    this.feishu.longConnection.drop();
  }

  connected(count: number): Promise<void> {
    return this.feishu.longConnection.connected(count);
  }

  get openConnections(): number {
    return this.feishu.longConnection.open;
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "direct") return { kind: "direct", id: "oc_dm" };
    if (kind === "unknown") return { kind: "group", id: "oc_nowhere" };
    return { kind: "group", id: "oc_group", ...(kind === "thread" && { threadId: THREAD_ROOT }) };
  }

  get shown(): readonly ShownMessage[] {
    return this.feishu.sent.map((message) => ({
      messageId: message.messageId,
      conversationId: message.receiveId,
      inThread: message.replyInThread,
      ...(message.parentId !== undefined && { replyTo: message.parentId }),
      text: textOf(message),
      deleted: message.deleted,
      reactions: message.reactions.map(({ emoji }) => EMOJI[emoji] ?? emoji),
      ...this.#fileOf(message),
      ...shownCard(message),
      ...(message.onlyFor !== undefined && { onlyFor: message.onlyFor, text: shownCard(message).card?.text.trim() ?? "" }),
      ...growing(message),
      pinned: this.feishu.pinned.has(message.messageId),
      notifiedAll: /<at[^>]*user_id="?all/i.test(textOf(message)),
    }));
  }

  get sendRequests(): number {
    return this.#sends.length;
  }

  async sendRequested(count: number): Promise<void> {
    await this.feishu.request(() => this.#sends.length >= count);
  }

  failNextSend(fault: SendFault): void {
    this.feishu.failNext(faultOf(fault));
  }

  refuseReads(): void {
    this.feishu.app.scopes.clear();
  }

  release(): void {
    this.feishu.release();
  }

  async shutDown(): Promise<void> {
    await this.feishu[Symbol.asyncDispose]();
  }

  revokeTokens(): void {
    this.feishu.revokeTokens();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.feishu[Symbol.asyncDispose]();
  }

  get #sends(): readonly object[] {
    return this.feishu.requests.filter(({ method, path }) => method !== "GET" && path.startsWith("/open-apis/im/v1/messages"));
  }

  #fileOf({ content, messageType }: FeishuSentMessage): Pick<ShownMessage, "file"> {
    const { image_key: image, file_key: file } = content as { readonly image_key?: string; readonly file_key?: string };
    const found = this.feishu.uploads.get(image ?? file ?? "");
    return found === undefined ? {} : { file: { name: found.fileName, bytes: found.bytes, isVoice: messageType === "audio" } };
  }

  #contentOf(message: TestMessage, messageId: string): { messageType: string; content: unknown; mentions?: readonly FeishuMention[] } {
    const [file, ...moreFiles] = message.files ?? [];
    if (file !== undefined && moreFiles.length > 0) {
      // Several files are the images of a rich message.
      const images = [file, ...moreFiles].map(({ name, bytes }, index) => {
        this.feishu.addResource({ messageId, fileKey: `img_${index}`, contentType: "image/png", fileName: name, bytes });
        return [{ tag: "img", image_key: `img_${index}` }];
      });
      return { messageType: "post", content: { title: "", content: images } };
    }
    if (file !== undefined) {
      this.feishu.addResource({ messageId, fileKey: "file_1", contentType: "text/plain", fileName: file.name, bytes: file.bytes });
      return { messageType: "file", content: { file_key: "file_1", file_name: file.name } };
    }
    const bot: FeishuMention = { key: "@_user_1", openId: this.feishu.app.bot.openId, name: this.feishu.app.bot.name };
    const mentions = [...(message.mentionsBot === true ? [bot] : []), ...(message.mentionsBob === true ? [BOB] : [])];
    const text = [message.text, ...mentions.map(({ key }) => key)].join(" ");
    return { messageType: "text", content: { text }, ...(mentions.length > 0 && { mentions }) };
  }

  async #post(channel: Channel, request: Request): Promise<DeliveryAnswer> {
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(60_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}

function withFault(payload: FeishuEnvelope, fault: DeliveryFault | undefined): FeishuEnvelope {
  if (fault === "other-account") return { ...payload, header: { ...payload.header, app_id: "cli_ffffffffffffffff" } };
  if (fault === "unknown-kind")
    return { ...payload, header: { ...payload.header, event_type: "im.something.new_v7" }, event: { odd: true } };
  return payload;
}

function spoiled(fault: DeliveryFault | undefined, nowMs: number): FeishuWebhookOptions {
  switch (fault) {
    case "signature-missing":
      return { signature: "missing" };
    case "signature-wrong":
      return { signature: "wrong" };
    case "tampered":
      return { tamper: (body) => body.replace(/.(?="\}$)/, (last) => (last === "A" ? "B" : "A")) };
    case "stale":
      return { timestampMs: nowMs - DAY_MS };
    case "early":
      return { timestampMs: nowMs + DAY_MS };
    case "other-account":
    case "unknown-kind":
    case undefined:
      return {};
  }
}

function faultOf(fault: SendFault): FeishuFault {
  switch (fault.type) {
    case "rate-limited":
      return {
        type: "refuse",
        status: 400,
        code: 99991400,
        message: "request trigger frequency limit",
        headers: { "x-ogw-ratelimit-reset": String(fault.delayMs / 1_000) },
      };
    case "server-error":
      return { type: "refuse", status: 500, code: 2200, message: "internal service error" };
    case "forbidden":
      return { type: "refuse", status: 400, code: 230002, message: "Bot/User can NOT be out of the chat." };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "garbage" };
    case "held":
      return { type: "hold" };
  }
}

/** The text that a person reads: the text message, or the paragraphs of the post. */
function textOf(message: FeishuSentMessage): string {
  const content = message.content as { text?: string; zh_cn?: { content: { text?: string }[][] } };
  return content.text ?? (content.zh_cn?.content ?? []).map((paragraph) => paragraph.map(({ text = "" }) => text).join("")).join("\n");
}

const ALICE = { open_id: "ou_alice", union_id: "on_alice", user_id: null };

/** An event of the group, in the platform's form and as it is passed on. */
function happeningOf(
  what: TestHappening,
  targetId: MessageId,
  botId: string,
): { readonly eventType: string; readonly event: unknown; readonly expected: InboundEvent } {
  const group = { chat_id: "oc_group", operator_id: ALICE, external: false, name: "The group" };
  const users = [{ name: "Bob", tenant_key: "tenant", user_id: { open_id: "ou_bob", union_id: "on_bob", user_id: null } }];
  const bob = { id: "ou_bob", name: "Bob", isSelf: false };
  const reaction = { message_id: targetId, reaction_type: { emoji_type: "THUMBSUP" }, operator_type: "user", user_id: ALICE };
  switch (what) {
    case "reaction":
    case "reaction-taken-back": {
      const removed = what === "reaction-taken-back";
      return {
        eventType: `im.message.reaction.${removed ? "deleted" : "created"}_v1`,
        event: reaction,
        expected: { type: "reaction", targetId, emoji: "👍", removed, isOnOwnMessage: false },
      };
    }
    case "delete":
      return {
        eventType: "im.message.recalled_v1",
        event: { message_id: targetId, chat_id: "oc_group", recall_time: "1767225600", recall_type: "message_owner" },
        expected: { type: "delete", targetId },
      };
    case "press": {
      const button = { actionId: "approve", label: "Yes", value: "request-1", style: "primary" } as const;
      const action = { tag: "button", timezone: "Asia/Shanghai", value: buttonValue(button, { kind: "group", id: "oc_group" }) };
      const context = { open_message_id: targetId, open_chat_id: "oc_group" };
      return {
        eventType: "card.action.trigger",
        event: { operator: ALICE, token: "c-1", action, host: "im_message", context },
        expected: { type: "action", actionId: "approve", targetId, value: "request-1" },
      };
    }
    case "joined":
    case "left": {
      const eventType = `im.chat.member.user.${what === "joined" ? "added" : "deleted"}_v1`;
      return { eventType, event: { ...group, users }, expected: { type: "member", change: what, member: bob } };
    }
    case "bot-joined":
      return {
        eventType: "im.chat.member.bot.added_v1",
        event: group,
        expected: { type: "member", change: "joined", member: { id: botId, name: "Factotum", isSelf: true } },
      };
    default:
      throw new Error(`Feishu's channel hands over no ${what}`);
  }
}

/** A streamed answer, by its card. */
function growing(message: FeishuSentMessage): Pick<ShownMessage, "isGrowing"> & { readonly text?: string } {
  const { config, body } = message.content as Partial<FeishuCard>;
  if (config?.streaming_mode === undefined) return {};
  return { text: body?.elements[0]?.content ?? "", isGrowing: config.streaming_mode };
}
