import { TestHost } from "@factotum/channel-conformance";
import type { Channel, ChannelHost, Clock, Conversation, MsgContext, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { FakeDiscord } from "@factotum/testing-channels";
import type { DiscordMessageInput, FakeDiscordOptions } from "@factotum/testing-channels";
import { createDiscordChannel } from "../src/index.ts";

/** A fake platform, a gateway and the channel of one account, not started. */
export interface DiscordScene extends AsyncDisposable {
  readonly discord: FakeDiscord;
  readonly host: TestHost;
  readonly channel: Channel;
  readonly start: () => Promise<void>;
  /** Another channel of the same account. */
  readonly another: () => Channel;
  /** A message of Alice, in the direct chat by default; resolves with what was passed on. */
  readonly say: (content: string, more?: Partial<DiscordMessageInput>) => Promise<MsgContext>;
  readonly send: (
    outbound: Outbound,
    more?: { readonly conversation?: Conversation; readonly key?: string; readonly replyContext?: string },
  ) => Promise<SendReceipt>;
}

export const ALICE = "100000000000000001";
export const BOB = "100000000000000002";
export const DIRECT = "500000000000000001";
export const CHANNEL = "600000000000000001";
export const THREAD = "700000000000000001";

export const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** Starts the platform. */
export async function startScene(
  options: FakeDiscordOptions & { readonly clock?: Clock; readonly random?: ChannelHost["random"] } = {},
): Promise<DiscordScene> {
  const { clock, random, ...fake } = options;
  const discord = await FakeDiscord.start(fake);
  const host = new TestHost({ ...(clock !== undefined && { clock }), ...(random !== undefined && { random }) });
  const channels: Channel[] = [];
  const another = (): Channel => {
    const channel = createDiscordChannel({ token: discord.app.token, baseUrl: discord.baseUrl }, host);
    channels.push(channel);
    return channel;
  };
  const channel = another();
  let sends = 0;
  return {
    discord,
    host,
    channel,
    another,
    start: async () => channel.start(soon()),
    async say(content, more = {}) {
      const message = discord.addMessage({ channelId: DIRECT, authorId: ALICE, content, ...more });
      const passed = host.passedOn(message.id);
      discord.gateway.dispatch("MESSAGE_CREATE", discord.messageData(message));
      await passed;
      const received = host.received.findLast(({ eventId }) => eventId === message.id);
      if (received === undefined) throw new Error("nothing was passed on");
      return received;
    },
    async send(outbound, { conversation, key, replyContext } = {}) {
      sends += 1;
      const target: Origin = {
        channel: "discord",
        accountId: host.accountId,
        conversation: conversation ?? { kind: "direct", id: DIRECT },
      };
      return channel.send(target, outbound, {
        ...soon(),
        idempotencyKey: key ?? `k${sends}`,
        ...(replyContext !== undefined && { replyContext }),
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(channels.map(async (one) => one.stop({ signal: AbortSignal.abort() })));
      await discord[Symbol.asyncDispose]();
    },
  };
}
