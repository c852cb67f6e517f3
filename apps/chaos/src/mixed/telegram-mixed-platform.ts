import { FakeTelegram, telegramMessageUpdate, telegramReactionUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramMessage, TelegramUpdate } from "@factotum/testing-channels";
import type { Product } from "@factotum/testing-product";
import { EventPoster } from "./event-poster.ts";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

/** How updates reach an account. */
export type TelegramMixedTransport = "polling" | "webhook";

const PEOPLE = [1001, 1002, 1003];
const FORUM = -1_001_000_000_001;
const GROUP = -2001;
const TOPIC = 77;
const SECRET = "the_secret-of-the-webhook";

interface Account {
  readonly name: string;
  readonly transport: TelegramMixedTransport;
  readonly telegram: FakeTelegram;
}

interface Place {
  readonly account: Account;
  readonly chatId: number;
  readonly threadId: number | undefined;
}

/** A channel that connects the platform, and its settings of one account. */
interface TelegramMixedChannel {
  readonly id: "telegram" | "chat-sdk";
  settings(account: Account): object;
}

const OWN_CHANNEL: TelegramMixedChannel = {
  id: "telegram",
  settings: ({ transport, telegram: { app, baseUrl } }) => ({
    token: app.token,
    baseUrl,
    transport: transport === "polling" ? { type: "polling" } : { type: "webhook", secretToken: SECRET },
  }),
};

const ADAPTER_CHANNEL: TelegramMixedChannel = {
  id: "chat-sdk",
  settings: ({ telegram: { app, baseUrl } }) => ({
    adapter: "@chat-adapter/telegram",
    options: { mode: "webhook", botToken: app.token, secretToken: SECRET, apiUrl: baseUrl },
  }),
};

/** Two bots, each on a server of its own, with its transport. */
export async function startTelegramMixedPlatform(
  transports: readonly [TelegramMixedTransport, TelegramMixedTransport],
): Promise<MixedPlatform> {
  return startPlatform(transports, OWN_CHANNEL);
}

/** The same by webhook, through the platform's adapter of the Chat SDK. */
export async function startChatSdkMixedPlatform(): Promise<MixedPlatform> {
  return startPlatform(["webhook", "webhook"], ADAPTER_CHANNEL);
}

async function startPlatform(transports: readonly TelegramMixedTransport[], channel: TelegramMixedChannel): Promise<MixedPlatform> {
  const accounts = transports.map(async (transport, index) => startAccount(["one", "two"][index] ?? "", transport));
  return new TelegramMixedPlatform(await Promise.all(accounts), channel);
}

class TelegramMixedPlatform implements MixedPlatform {
  readonly name: string;
  readonly extension: TelegramMixedChannel["id"];
  readonly guarantee = { inbound: "redelivers", outbound: "at-most-once" } as const;
  readonly conversations: readonly string[];
  /** What a button says is known to the product alone: presses are proved elsewhere. */
  readonly kinds = ["message", "message", "message", "command", "edit", "reaction"] as const;
  readonly config: MixedPlatform["config"];
  readonly #accounts: readonly Account[];
  readonly #updates = new Map<string, TelegramUpdate>();
  /** Messages of people by conversation, newest last. */
  readonly #messages = new Map<string, TelegramMessage[]>();
  readonly #poster = new EventPoster();

  constructor(accounts: readonly Account[], channel: TelegramMixedChannel) {
    this.#accounts = accounts;
    this.extension = channel.id;
    this.name = `${channel.id} by ${[...new Set(accounts.map(({ transport }) => transport))].join(" and ")}`;
    this.conversations = accounts.flatMap(({ name }) => [
      ...[...PEOPLE, FORUM, GROUP].map((chatId) => `${name}/${chatId}`),
      `${name}/${FORUM}/${TOPIC}`,
    ]);
    this.config = {
      owners: accounts.flatMap(({ name }) => PEOPLE.map((id) => `${channel.id}/${name}:${id}`)),
      channels: {
        [channel.id]: {
          accounts: Object.fromEntries(
            accounts.map((account) => [account.name, { ...channel.settings(account), allowFrom: PEOPLE.map(String), groupPolicy: "open" }]),
          ),
        },
      },
    };
  }

  allows(): boolean {
    return true;
  }

  async connected(): Promise<void> {
    const polling = this.#accounts.filter(({ transport }) => transport === "polling");
    for (const { telegram } of polling) if (telegram.updates.open === 0) await telegram.updates.connected(telegram.updates.opened + 1);
  }

  create(event: MixedEvent): void {
    const place = this.#placeOf(event.conversation);
    const earlier = this.#messages.get(event.conversation) ?? [];
    const { update, message } = createUpdate(event, place, earlier.at(-1));
    this.#updates.set(event.id, update);
    if (message !== undefined) this.#messages.set(event.conversation, [...earlier, message]);
  }

  async deliver(event: MixedEvent, product: Product): Promise<boolean> {
    const update = this.#updates.get(event.id);
    if (update === undefined) throw new Error(`${event.id} was not created`);
    const { account } = this.#placeOf(event.conversation);
    if (account.transport === "webhook") {
      const url = `${product.url}/channels/${this.extension}/${account.name}`;
      return this.#poster.post(telegramWebhookRequest(url, update, { secretToken: SECRET }));
    }
    // What is not confirmed stays on the platform, and is given to the next process.
    return Promise.race([
      account.telegram.updates.deliver(update).then((delivery) => delivery === "acknowledged"),
      product.ended.then(() => false),
    ]);
  }

  redelivers(_kind: MixedKind): boolean {
    return true;
  }

  disconnect(): void {
    this.#poster.cutNext();
    for (const { telegram, transport } of this.#accounts) if (transport === "polling") telegram.updates.drop();
  }

  get shown(): readonly ShownReply[] {
    return this.#accounts.flatMap(({ name, telegram }) =>
      telegram.sent.map(({ id, chatId, threadId, text }) => {
        const thread = threadId === undefined ? "" : `/${threadId}`;
        return { id: `${name}/${id}`, conversation: `${name}/${chatId}${thread}`, text };
      }),
    );
  }

  watch(listener: () => void): void {
    for (const { telegram } of this.#accounts) telegram.watch(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { telegram } of this.#accounts) await telegram[Symbol.asyncDispose]();
  }

  #placeOf(conversation: string): Place {
    const [name = "", chatId, threadId] = conversation.split("/");
    const account = this.#accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}.`);
    return { account, chatId: Number(chatId), threadId: threadId === undefined ? undefined : Number(threadId) };
  }
}

async function startAccount(name: string, transport: TelegramMixedTransport): Promise<Account> {
  const users = PEOPLE.map((id) => ({ id, first_name: `Person ${id}` }));
  const chats = [
    ...users.map(({ id, first_name }) => ({ id, type: "private", first_name }) as const),
    { id: FORUM, type: "supergroup", title: "Forum", is_forum: true, topics: new Map([[TOPIC, "Plans"]]) } as const,
    { id: GROUP, type: "group", title: "Family" } as const,
  ];
  return { name, transport, telegram: await FakeTelegram.start({ users, chats }) };
}

function createUpdate(
  event: MixedEvent,
  { account: { telegram }, chatId, threadId }: Place,
  earlier: TelegramMessage | undefined,
): { readonly update: TelegramUpdate; readonly message?: TelegramMessage } {
  const isDirect = chatId > 0;
  const fromId = isDirect ? chatId : (PEOPLE[event.person] ?? 0);
  const thread = threadId === undefined ? {} : { threadId };
  const add = (text: string): TelegramMessage => telegram.addMessage({ chatId, fromId, ...thread, text });
  switch (event.kind) {
    case "edit": {
      const message = earlier ?? add("An old message");
      return { update: telegramMessageUpdate(telegram, { ...message, text: event.text, edits: 1 }) };
    }
    case "reaction":
      return { update: telegramReactionUpdate(telegram, earlier ?? add("An old message"), { fromId, before: [], after: ["🎉"] }) };
    default: {
      const name = isDirect ? "" : `@${telegram.app.bot.username}`;
      const message = add(`${name} ${event.text}`.trim());
      const mention = isDirect ? [] : [{ type: "mention", offset: 0, length: name.length }];
      // The platform sees a command in front of the hyphen.
      const command = isDirect && event.kind === "command" ? [{ type: "bot_command", offset: 0, length: "/input".length }] : [];
      return { update: telegramMessageUpdate(telegram, message, { entities: [...mention, ...command] }), message };
    }
  }
}
