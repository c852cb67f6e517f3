import { fileURLToPath } from "node:url";
import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Conversation, Outbound, SendReceipt } from "@factotum/channel-contract";
import { FakeTelegram, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramUpdate } from "@factotum/testing-channels";
import { createChatSdkChannel } from "../src/index.ts";

export const ADAPTER = "@chat-adapter/telegram";
export const ALICE = 1001;
export const BOB = 1002;
export const FORUM = -1_001_000_000_001;
export const TOPIC = 77;
export const OTHER_BOT = 2001;
export const SECRET_TOKEN = "the_secret-of-the-webhook";
export const WEBHOOK_URL = "http://127.0.0.1/channels/chat-sdk/second";
/** The folder of this package, whose package.json names the adapter. */
export const OWN_FOLDER: string = fileURLToPath(new URL("..", import.meta.url));

/** Options of the adapter for a server of the platform. */
export function optionsFor({ app, baseUrl }: FakeTelegram, token: string = app.token): Readonly<Record<string, unknown>> {
  return { botToken: token, secretToken: SECRET_TOKEN, mode: "webhook", apiUrl: baseUrl };
}

/** The address of a chat of the platform, as the adapter names it. */
export function conversationOf(chatId: number, topic?: number): Conversation {
  const id = `telegram:${chatId}`;
  return { kind: chatId > 0 ? "direct" : "group", id, ...(topic !== undefined && { threadId: `${id}:${topic}` }) };
}

/** A fake platform, a gateway and the channel of one account, started. */
export interface TelegramScene extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly host: TestHost;
  readonly channel: Channel;
  /** Another channel of the same account, not started. */
  another(): Channel;
  /** Posts an update to a channel; resolves with the status of the answer. */
  post(update: TelegramUpdate, channel?: Channel): Promise<number>;
  send(outbound: Outbound, conversation?: Conversation): Promise<SendReceipt>;
}

/** Starts the platform and the channel. */
export async function startScene(host: TestHost = new TestHost()): Promise<TelegramScene> {
  const telegram = await FakeTelegram.start();
  const channels: Channel[] = [];
  const another = (): Channel => {
    const channel = createChatSdkChannel({ adapter: ADAPTER, options: optionsFor(telegram) }, host);
    channels.push(channel);
    return channel;
  };
  const channel = another();
  await channel.start({ signal: AbortSignal.timeout(60_000) });
  let sends = 0;
  return {
    telegram,
    host,
    channel,
    another,
    async post(update, to = channel) {
      const request = telegramWebhookRequest(WEBHOOK_URL, update, { secretToken: SECRET_TOKEN });
      return (await to.handleWebhook(request, { signal: AbortSignal.timeout(60_000) })).status;
    },
    async send(outbound, conversation = conversationOf(ALICE)) {
      sends += 1;
      const target = { channel: "chat-sdk", accountId: host.accountId, conversation };
      return channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: `k${sends}` });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(channels.map(async (one) => one.stop({ signal: AbortSignal.abort() })));
      await telegram[Symbol.asyncDispose]();
    },
  };
}
