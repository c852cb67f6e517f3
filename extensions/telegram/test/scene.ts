import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Conversation, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { FakeTelegram } from "@factotum/testing-channels";
import { createTelegramChannel } from "../src/index.ts";
import type { TelegramTransport } from "../src/index.ts";

/** A fake platform, a gateway and the channel of one account, not started. */
export interface TelegramScene extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly host: TestHost;
  readonly channel: Channel;
  /** Another channel of the same account. */
  another(transport?: TelegramTransport): Channel;
  send(outbound: Outbound, conversation?: Conversation): Promise<SendReceipt>;
}

export const ALICE = 1001;
export const FORUM = -1_001_000_000_001;
export const GROUP = -2001;

/** Starts the platform. */
export async function startScene(
  transport: TelegramTransport = { type: "polling" },
  host: TestHost = new TestHost(),
): Promise<TelegramScene> {
  const telegram = await FakeTelegram.start();
  const channels: Channel[] = [];
  const another = (by: TelegramTransport = transport): Channel => {
    const channel = createTelegramChannel({ token: telegram.app.token, baseUrl: telegram.baseUrl, transport: by }, host);
    channels.push(channel);
    return channel;
  };
  const channel = another();
  let sends = 0;
  return {
    telegram,
    host,
    channel,
    another,
    async send(outbound, conversation = { kind: "direct", id: String(ALICE) }) {
      sends += 1;
      const target: Origin = { channel: "telegram", accountId: host.accountId, conversation };
      return channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: `k${sends}` });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(channels.map(async (one) => one.stop({ signal: AbortSignal.abort() })));
      await telegram[Symbol.asyncDispose]();
    },
  };
}
