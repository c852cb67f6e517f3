import { FakeFeishu, feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope, FeishuMessageInput } from "@factotum/testing-channels";
import type { Product } from "@factotum/testing-product";
import { EventPoster } from "./event-poster.ts";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

/** How the platform reaches an account. */
export type FeishuTransport = "webhook" | "websocket";

const PEOPLE = ["alice", "bob", "carol"];
const GROUPS = ["oc_general", "oc_random"];
/** A topic of the first group, and its first message. */
const TOPIC = { chatId: "oc_general", threadId: "omt_topic", rootId: "om_root" } as const;

interface Account {
  readonly name: string;
  readonly transport: FeishuTransport;
  readonly feishu: FakeFeishu;
}

/** Two Feishu apps, one for each account, each with its transport. */
export async function startFeishuMixedPlatform(transports: readonly [FeishuTransport, FeishuTransport]): Promise<MixedPlatform> {
  return new FeishuMixedPlatform(
    await Promise.all(transports.map((transport, index) => startAccount(["one", "two"][index] ?? "", transport))),
  );
}

class FeishuMixedPlatform implements MixedPlatform {
  readonly name: string;
  readonly guarantee = { inbound: "redelivers", outbound: "once" } as const;
  readonly conversations: readonly string[];
  readonly kinds = ["message", "message", "message", "command", "press", "delete", "reaction"] as const;
  readonly config: MixedPlatform["config"];
  readonly #accounts: readonly Account[];
  readonly #payloads = new Map<string, FeishuEnvelope>();
  /** The newest message of a person, by conversation. */
  readonly #newest = new Map<string, string>();
  /** Conversations in which a message was acknowledged. */
  readonly #begun = new Set<string>();
  readonly #poster = new EventPoster();

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
    this.name = `feishu over ${[...new Set(accounts.map(({ transport }) => transport))].join(" and ")}`;
    this.conversations = accounts.flatMap(({ name }) => [
      ...[...PEOPLE.map(directChat), ...GROUPS].map((chatId) => `${name}/${chatId}`),
      `${name}/${TOPIC.chatId}/${TOPIC.threadId}`,
    ]);
    this.config = {
      owners: PEOPLE.map((person) => `feishu:${openId(person)}`),
      channels: { feishu: { accounts: Object.fromEntries(accounts.map((account) => [account.name, accountConfig(account)])) } },
    };
  }

  /** The events of a press, a recall and a reaction do not name the topic. In a direct chat without messages there is no card that could be pressed. */
  allows(kind: MixedKind, conversation: string): boolean {
    if (kind === "message" || kind === "command") return true;
    const { chatId, threadId } = placeOf(conversation);
    return threadId === undefined && (kind !== "press" || !isDirect(chatId) || this.#begun.has(conversation));
  }

  async connected(): Promise<void> {
    for (const { transport, feishu } of this.#accounts) {
      const { longConnection } = feishu;
      if (transport === "websocket" && longConnection.open === 0) await longConnection.connected(longConnection.opened + 1);
    }
  }

  create(event: MixedEvent): void {
    const { feishu } = this.#accountOf(event.conversation);
    const about = this.#newest.get(event.conversation);
    const { payload, messageId } = createPayload(event, feishu, about);
    this.#payloads.set(event.id, payload);
    if (messageId !== undefined) this.#newest.set(event.conversation, messageId);
  }

  async deliver(event: MixedEvent, product: Product): Promise<boolean> {
    const payload = this.#payloads.get(event.id);
    if (payload === undefined) throw new Error(`${event.id} was not created`);
    const isAcknowledged = await this.#pass(this.#accountOf(event.conversation), payload, product);
    if (isAcknowledged && (event.kind === "message" || event.kind === "command")) this.#begun.add(event.conversation);
    return isAcknowledged;
  }

  async #pass({ name, transport, feishu }: Account, payload: FeishuEnvelope, product: Product): Promise<boolean> {
    if (transport === "webhook")
      return this.#poster.post(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/${name}`, payload));
    return feishu.longConnection.open > 0 && (await feishu.longConnection.deliver(payload)) === 200;
  }

  /** A person who sees that a press failed presses again, which is another press. */
  redelivers(kind: MixedKind): boolean {
    return kind !== "press";
  }

  disconnect(): void {
    this.#poster.cutNext();
    for (const { feishu } of this.#accounts) feishu.longConnection.drop();
  }

  get shown(): readonly ShownReply[] {
    return this.#accounts.flatMap(({ name, feishu }) =>
      feishu.sent
        .filter(({ deleted }) => !deleted)
        .map(({ messageId, receiveId, threadId, content }) => {
          const thread = threadId === undefined ? "" : `/${threadId}`;
          // The summary of a card, which repeats its beginning, is in the list of chats alone.
          const text = JSON.stringify({ ...(content as object), config: undefined });
          return { id: `${name}/${messageId}`, conversation: `${name}/${receiveId}${thread}`, text };
        }),
    );
  }

  watch(listener: () => void): void {
    // The fake calls back after each request, also after one that shows nothing.
    let count = 0;
    const notice = (): void => {
      const now = this.#accounts.reduce((sum, { feishu }) => sum + feishu.sent.length, 0);
      if (now === count) return;
      count = now;
      listener();
    };
    for (const { feishu } of this.#accounts) feishu.watch(notice);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { feishu } of this.#accounts) await feishu[Symbol.asyncDispose]();
  }

  #accountOf(conversation: string): Account {
    const account = this.#accounts.find(({ name }) => name === placeOf(conversation).accountName);
    if (account === undefined) throw new Error(`There is no account of ${conversation}.`);
    return account;
  }
}

async function startAccount(name: string, transport: FeishuTransport): Promise<Account> {
  const feishu = await FakeFeishu.start({
    appId: name === "one" ? "cli_a1b2c3d4e5f60718" : "cli_b1b2c3d4e5f60718",
    people: PEOPLE.map(openId),
    chats: [...PEOPLE.map(directChat), ...GROUPS],
    directChats: PEOPLE.map(directChat),
  });
  feishu.addInbound({ messageId: TOPIC.rootId, chatId: TOPIC.chatId, threadId: TOPIC.threadId });
  return { name, transport, feishu };
}

function accountConfig({ transport, feishu: { app, baseUrl } }: Account): object {
  const { appId, appSecret, encryptKey, verificationToken } = app;
  return {
    appId,
    appSecret,
    baseUrl,
    transport: transport === "websocket" ? { type: "websocket" } : { type: "webhook", encryptKey, verificationToken },
    allowFrom: PEOPLE.map(openId),
    groupPolicy: "open",
  };
}

function createPayload(
  event: MixedEvent,
  feishu: FakeFeishu,
  about: string | undefined,
): { readonly payload: FeishuEnvelope; readonly messageId?: string } {
  const { chatId, threadId } = placeOf(event.conversation);
  const person = openId(isDirect(chatId) ? chatId.slice("oc_dm_".length) : (PEOPLE[event.person] ?? ""));
  const eventId = `${event.id}-${chatId}`;
  const messageId = `om_${event.id.replace("-", "_")}`;
  const wrap = (eventType: string, inner: object): FeishuEnvelope => feishuEnvelope(feishu.app, { eventType, event: inner, eventId });
  const user = { open_id: person, union_id: person.replace("ou_", "on_"), user_id: null };
  switch (event.kind) {
    case "message":
    case "command": {
      feishu.addInbound({ messageId, chatId, ...(threadId === undefined ? {} : TOPIC) });
      return { payload: feishuMessageEvent(feishu.app, messageInput(event, feishu, { person, eventId, messageId })), messageId };
    }
    case "press": {
      const value = { action: "a", value: event.id, label: event.text, kind: isDirect(chatId) ? "direct" : "group" };
      feishu.addInbound({ messageId, chatId });
      const context = { open_message_id: messageId, open_chat_id: chatId };
      const payload = wrap("card.action.trigger", {
        operator: user,
        token: "c-1",
        action: { tag: "button", value },
        host: "im_message",
        context,
      });
      return { payload };
    }
    case "delete": {
      const recalled = {
        message_id: about ?? messageId,
        chat_id: chatId,
        recall_time: String(feishu.app.now()),
        recall_type: "message_owner",
      };
      return { payload: wrap("im.message.recalled_v1", recalled) };
    }
    default: {
      if (about === undefined) feishu.addInbound({ messageId, chatId });
      const reaction = { message_id: about ?? messageId, reaction_type: { emoji_type: "THUMBSUP" }, operator_type: "user", user_id: user };
      return { payload: wrap("im.message.reaction.created_v1", reaction) };
    }
  }
}

function messageInput(
  { conversation, text }: MixedEvent,
  { app }: FakeFeishu,
  { person, eventId, messageId }: { readonly person: string; readonly eventId: string; readonly messageId: string },
): FeishuMessageInput {
  const { chatId, threadId } = placeOf(conversation);
  return {
    chatId,
    chatType: isDirect(chatId) ? "p2p" : "group",
    messageType: "text",
    content: { text: isDirect(chatId) ? text : `@_user_1 ${text}` },
    senderOpenId: person,
    messageId,
    eventId,
    ...(isDirect(chatId) ? {} : { mentions: [{ key: "@_user_1", openId: app.bot.openId, name: app.bot.name }] }),
    ...(threadId === undefined ? {} : { threadId, rootId: TOPIC.rootId, parentId: TOPIC.rootId }),
  };
}

function placeOf(conversation: string): { readonly accountName: string; readonly chatId: string; readonly threadId: string | undefined } {
  const [accountName = "", chatId = "", threadId] = conversation.split("/");
  return { accountName, chatId, threadId };
}

function isDirect(chatId: string): boolean {
  return chatId.startsWith("oc_dm_");
}

function openId(person: string): string {
  return `ou_${person}`;
}

function directChat(person: string): string {
  return `oc_dm_${person}`;
}
