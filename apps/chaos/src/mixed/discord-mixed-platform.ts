import { FakeDiscord } from "@factotum/testing-channels";
import type { DiscordMessage } from "@factotum/testing-channels";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

const PEOPLE = ["100000000000000001", "100000000000000002", "100000000000000003"];
const DIRECTS = ["500000000000000001", "500000000000000002", "500000000000000003"];
const CHANNELS = ["600000000000000001", "600000000000000002"];
const THREAD = "700000000000000001";

interface Account {
  readonly name: string;
  readonly discord: FakeDiscord;
}

interface Place {
  readonly account: Account;
  readonly channelId: string;
}

/** An event of the gateway. */
interface Delivery {
  readonly name: string;
  readonly data: unknown;
}

/** Two bots, each on a server of its own. */
export async function startDiscordMixedPlatform(): Promise<MixedPlatform> {
  return new DiscordMixedPlatform(await Promise.all(["one", "two"].map(async (name) => startAccount(name))));
}

class DiscordMixedPlatform implements MixedPlatform {
  readonly name = "discord";
  readonly extension = "discord";
  /** The platform keeps what happens while there is no connection, and drops a message with the nonce of another. */
  readonly guarantee = { inbound: "redelivers", outbound: "once" } as const;
  readonly conversations: readonly string[];
  /** What a button says is known to the product alone: presses are proved elsewhere. */
  readonly kinds = ["message", "message", "message", "command", "edit", "delete", "reaction"] as const;
  readonly config: MixedPlatform["config"];
  readonly #accounts: readonly Account[];
  readonly #deliveries = new Map<string, Delivery>();
  /** Messages of people by conversation, newest last. */
  readonly #messages = new Map<string, DiscordMessage[]>();

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
    this.conversations = accounts.flatMap(({ name }) => [...DIRECTS, ...CHANNELS, THREAD].map((channel) => `${name}/${channel}`));
    this.config = {
      owners: PEOPLE.map((id) => `discord:${id}`),
      channels: { discord: { accounts: Object.fromEntries(accounts.map((account) => [account.name, accountConfig(account)])) } },
    };
  }

  allows(): boolean {
    return true;
  }

  async connected(): Promise<void> {
    for (const { discord } of this.#accounts) if (discord.gateway.open === 0) await discord.gateway.connected(discord.gateway.opened + 1);
  }

  create(event: MixedEvent): void {
    const { account, channelId } = this.#placeOf(event.conversation);
    const earlier = this.#messages.get(event.conversation) ?? [];
    // Each edit has a time of its own, as on the platform.
    const editedAtMs = account.discord.app.now() + this.#deliveries.size;
    const { delivery, message } = createDelivery(event, { account, channelId }, { earlier: earlier.at(-1), editedAtMs });
    this.#deliveries.set(event.id, delivery);
    if (message !== undefined) this.#messages.set(event.conversation, [...earlier, message]);
  }

  /** An event gets its number in the session of the account, and is sent until it is stored, also to the next process. */
  deliver(event: MixedEvent): Promise<boolean> {
    const delivery = this.#deliveries.get(event.id);
    if (delivery === undefined) throw new Error(`${event.id} was not created`);
    this.#placeOf(event.conversation).account.discord.gateway.dispatch(delivery.name, delivery.data);
    return Promise.resolve(true);
  }

  redelivers(_kind: MixedKind): boolean {
    return true;
  }

  disconnect(): void {
    for (const { discord } of this.#accounts) discord.gateway.drop();
  }

  get shown(): readonly ShownReply[] {
    return this.#accounts.flatMap(({ name, discord }) =>
      discord.sent.map(({ id, channelId, content }) => ({ id: `${name}/${id}`, conversation: `${name}/${channelId}`, text: content })),
    );
  }

  watch(listener: () => void): void {
    for (const { discord } of this.#accounts) discord.watch(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { discord } of this.#accounts) await discord[Symbol.asyncDispose]();
  }

  #placeOf(conversation: string): Place {
    const [name = "", channelId = ""] = conversation.split("/");
    const account = this.#accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}.`);
    return { account, channelId };
  }
}

async function startAccount(name: string): Promise<Account> {
  const users = PEOPLE.map((id, index) => ({ id, username: `person-${index}` }));
  const channels = [
    ...DIRECTS.map((id, index) => ({ id, type: 1, recipientId: PEOPLE[index] ?? "" })),
    ...CHANNELS.map((id, index) => ({ id, type: 0, name: `room-${index}` })),
    { id: THREAD, type: 11, name: "Plans", parentId: CHANNELS[0] ?? "" },
  ];
  return { name, discord: await FakeDiscord.start({ users, channels }) };
}

function accountConfig({ discord: { app, baseUrl } }: Account): object {
  return { token: app.token, baseUrl, allowFrom: PEOPLE, groupPolicy: "open" };
}

function createDelivery(
  event: MixedEvent,
  { account: { discord }, channelId }: Place,
  { earlier, editedAtMs }: { readonly earlier: DiscordMessage | undefined; readonly editedAtMs: number },
): { readonly delivery: Delivery; readonly message?: DiscordMessage } {
  const direct = DIRECTS.indexOf(channelId);
  const userId = PEOPLE[direct === -1 ? event.person : direct] ?? "";
  const add = (content: string): DiscordMessage => discord.addMessage({ channelId, authorId: userId, content });
  switch (event.kind) {
    case "edit": {
      const message = { ...(earlier ?? add("An old message")), content: event.text, editedAtMs };
      return { delivery: { name: "MESSAGE_UPDATE", data: discord.messageData(message) } };
    }
    case "delete":
      return { delivery: { name: "MESSAGE_DELETE", data: discord.deleteData(earlier ?? add("An old message")) } };
    case "reaction": {
      const data = discord.reactionData(earlier ?? add("An old message"), { userId, emoji: "🎉" });
      return { delivery: { name: "MESSAGE_REACTION_ADD", data } };
    }
    case "command": {
      // Some are typed, others are chosen from the platform's menu.
      if (event.person === 0) break;
      const data = { id: "1", name: event.id, type: 1 };
      return { delivery: { name: "INTERACTION_CREATE", data: discord.interactions.create({ type: 2, userId, channelId, data }) } };
    }
    default:
      break;
  }
  const message = add(direct === -1 ? `<@${discord.app.bot.id}> ${event.text}` : event.text);
  return { delivery: { name: "MESSAGE_CREATE", data: discord.messageData(message) }, message };
}
