import {
  FakeSlack,
  slackChannelType,
  slackCommand,
  slackEventBody,
  slackEventRequest,
  slackFormRequest,
  slackMessageEvent,
  slackPress,
  slackRichText,
} from "@factotum/testing-channels";
import type { SlackMessage } from "@factotum/testing-channels";
import type { Product } from "@factotum/testing-product";
import { EventPoster } from "./event-poster.ts";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

/** How the platform reaches an account. */
export type SlackTransport = "http" | "socket";

const PEOPLE = ["U0ALICE", "U0BOB", "U0CAROL"];
const CHANNELS = [
  ...PEOPLE.map((userId) => ({ id: userId.replace("U", "D"), kind: "im", name: "", userId }) as const),
  { id: "C0GENERAL", kind: "channel", name: "general" },
  { id: "C0RANDOM", kind: "channel", name: "random" },
] as const;

interface Account {
  readonly name: string;
  readonly transport: SlackTransport;
  readonly slack: FakeSlack;
  /** The first message of the thread in which people write. */
  readonly starter: SlackMessage;
}

interface Delivery {
  readonly type: "events_api" | "slash_commands" | "interactive";
  readonly payload: object;
}

/** Two Slack workspaces, one for each account, each with its transport. */
export async function startSlackMixedPlatform(transports: readonly [SlackTransport, SlackTransport]): Promise<MixedPlatform> {
  return new SlackMixedPlatform(
    await Promise.all(transports.map((transport, index) => startAccount(["one", "two"][index] ?? "", transport))),
  );
}

class SlackMixedPlatform implements MixedPlatform {
  readonly name: string;
  readonly guarantee = { inbound: "redelivers", outbound: "once" } as const;
  readonly conversations: readonly string[];
  readonly kinds = ["message", "message", "message", "command", "slash", "press", "edit", "delete", "reaction"] as const;
  readonly config: MixedPlatform["config"];
  readonly #accounts: readonly Account[];
  readonly #deliveries = new Map<string, Delivery>();
  /** Messages of people, by account and channel, newest last. */
  readonly #messages = new Map<string, SlackMessage[]>();
  readonly #poster = new EventPoster();

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
    this.name = `slack over ${[...new Set(accounts.map(({ transport }) => transport))].join(" and ")}`;
    this.conversations = accounts.flatMap(({ name, starter }) => [
      ...CHANNELS.map(({ id }) => `${name}/${id}`),
      `${name}/${starter.channel}/${starter.ts}`,
    ]);
    this.config = {
      owners: PEOPLE.map((id) => `slack:${id}`),
      channels: { slack: { accounts: Object.fromEntries(accounts.map((account) => [account.name, accountConfig(account)])) } },
    };
  }

  /** A slash command, an edit, a deletion and a reaction name the channel, not the thread. */
  allows(kind: MixedKind, conversation: string): boolean {
    return this.#placeOf(conversation).threadTs === undefined || kind === "message" || kind === "command" || kind === "press";
  }

  async connected(): Promise<void> {
    const sockets = this.#accounts.filter(({ transport }) => transport === "socket");
    for (const { slack } of sockets) if (slack.socketMode.open === 0) await slack.socketMode.connected(slack.socketMode.opened + 1);
  }

  create(event: MixedEvent): void {
    const place = this.#placeOf(event.conversation);
    const key = `${place.account.name}/${place.channel}`;
    const earlier = this.#messages.get(key) ?? [];
    const { delivery, message } = createDelivery(event, { ...place, earlier: earlier.at(-1) });
    this.#deliveries.set(event.id, delivery);
    if (message !== undefined) this.#messages.set(key, [...earlier, message]);
  }

  async deliver(event: MixedEvent, product: Product): Promise<boolean> {
    const delivery = this.#deliveries.get(event.id);
    if (delivery === undefined) throw new Error(`${event.id} was not created`);
    const { account } = this.#placeOf(event.conversation);
    if (account.transport === "http") return this.#post(account, delivery, product);
    const { socketMode } = account.slack;
    return socketMode.open > 0 && (await socketMode.deliver(delivery.type, delivery.payload)) === "acknowledged";
  }

  redelivers(kind: MixedKind): boolean {
    return kind !== "slash" && kind !== "press";
  }

  disconnect(): void {
    this.#poster.cutNext();
    for (const { slack } of this.#accounts) slack.socketMode.drop();
  }

  get shown(): readonly ShownReply[] {
    return this.#accounts.flatMap(({ name, slack }) =>
      slack.sent
        .filter(({ deleted }) => !deleted)
        .map(({ ts, channel, threadTs, text }) => {
          const thread = threadTs === undefined ? "" : `/${threadTs}`;
          return { id: `${name}/${ts}`, conversation: `${name}/${channel}${thread}`, text };
        }),
    );
  }

  watch(listener: () => void): void {
    for (const { slack } of this.#accounts) slack.watch(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { slack } of this.#accounts) await slack[Symbol.asyncDispose]();
  }

  #placeOf(conversation: string): { readonly account: Account; readonly channel: string; readonly threadTs: string | undefined } {
    const [name = "", channel = "", threadTs] = conversation.split("/");
    const account = this.#accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}.`);
    return { account, channel, threadTs };
  }

  async #post({ slack, name }: Account, { type, payload }: Delivery, product: Product): Promise<boolean> {
    const url = `${product.url}/channels/slack/${name}`;
    const form = type === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Readonly<Record<string, string>>);
    return this.#poster.post(type === "events_api" ? slackEventRequest(slack.app, url, payload) : slackFormRequest(slack.app, url, form));
  }
}

async function startAccount(name: string, transport: SlackTransport): Promise<Account> {
  const users = PEOPLE.map((id) => ({ id, name: id.slice(2).toLowerCase(), realName: id.slice(2) }));
  const slack = await FakeSlack.start({ users, conversations: CHANNELS, ackTimeoutMs: 3_000 });
  const starter = slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", ...slackRichText("The first message of a thread") });
  return { name, transport, slack, starter };
}

function accountConfig({ transport, slack: { app, baseUrl } }: Account): object {
  return {
    botToken: app.botToken,
    baseUrl,
    transport: transport === "socket" ? { type: "socket", appToken: app.appToken } : { type: "http", signingSecret: app.signingSecret },
    allowFrom: PEOPLE,
    groupPolicy: "open",
  };
}

interface Place {
  readonly account: Account;
  readonly channel: string;
  readonly threadTs: string | undefined;
  /** An earlier message of a person there, for events about one. */
  readonly earlier: SlackMessage | undefined;
}

function createDelivery(event: MixedEvent, place: Place): { readonly delivery: Delivery; readonly message?: SlackMessage } {
  const { slack } = place.account;
  const { app } = slack;
  const { channel, threadTs } = place;
  const user = channel.startsWith("D") ? channel.replace("D", "U") : (PEOPLE[event.person] ?? "");
  const events = (inner: Readonly<Record<string, unknown>>): Delivery => ({ type: "events_api", payload: slackEventBody(app, inner) });
  switch (event.kind) {
    case "message":
    case "command": {
      const mention = channel.startsWith("D") ? [] : [{ type: "user", user_id: app.bot.userId }];
      const thread = threadTs === undefined ? {} : { threadTs };
      const message = slack.addMessage({ channel, user, ...thread, ...slackRichText(`${event.text} `, mention) });
      return { delivery: events(slackMessageEvent(app, message)), message };
    }
    case "slash": {
      const payload = slackCommand(app, { command: "/factotum", text: event.text, channel, user, responseUrl: slack.responseUrl });
      return { delivery: { type: "slash_commands", payload } };
    }
    case "press": {
      const thread = threadTs === undefined ? {} : { threadTs };
      const card = slack.addMessage({ channel, user: app.bot.userId, ...thread, text: "A card" });
      const button = { actionId: "b0:a", label: event.text, value: event.id };
      return {
        delivery: { type: "interactive", payload: slackPress(app, { message: card, user, responseUrl: slack.responseUrl, button }) },
      };
    }
    case "edit":
    case "delete":
    case "reaction":
      return { delivery: events(changeOf(event, { ...place, user })) };
  }
}

/** An event about an earlier message of the conversation. */
function changeOf(event: MixedEvent, place: Place & { readonly user: string }): Readonly<Record<string, unknown>> {
  const { channel, account, user } = place;
  const { app } = account.slack;
  const about = place.earlier ?? account.slack.addMessage({ channel, user, text: "An old message" });
  const ts = `${Math.floor(app.now() / 1_000)}.${event.id.replace(/\D/g, "").padStart(6, "9")}`;
  const before = { type: "message", user: about.user, ts: about.ts, text: about.text };
  const shared = { type: "message", channel, channel_type: slackChannelType(app, channel), ts, event_ts: ts, previous_message: before };
  switch (event.kind) {
    case "edit": {
      const message = { ...before, text: event.text, edited: { user: about.user, ts } };
      return { ...shared, subtype: "message_changed", message };
    }
    case "delete":
      return { ...shared, subtype: "message_deleted", deleted_ts: about.ts };
    default:
      return {
        type: "reaction_added",
        user,
        reaction: "tada",
        item: { type: "message", channel, ts: about.ts },
        item_user: about.user,
        event_ts: ts,
      };
  }
}
