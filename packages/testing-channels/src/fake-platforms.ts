import { FakeDiscord } from "./discord/fake-discord.ts";
import { FakeFeishu } from "./feishu/fake-feishu.ts";
import { FakeIrc } from "./irc/fake-irc.ts";
import { FakeSlack } from "./slack/fake-slack.ts";
import { FakeTelegram } from "./telegram/fake-telegram.ts";

/** What the channel of a platform imports, by the id of its extension. */
export const PLATFORM_SDKS: Readonly<Record<string, readonly string[]>> = {
  discord: ["@discordjs/core/http-only", "@discordjs/rest"],
  feishu: ["@larksuiteoapi/node-sdk"],
  irc: ["irc-framework"],
  slack: ["@slack/web-api", "ws"],
  telegram: ["grammy"],
};

/** The channels that are packages of their own. */
export const PACKAGED_CHANNELS: readonly string[] = ["telegram", "discord"];

/** The platforms of `PLATFORM_SDKS`, on loopback. */
export interface FakePlatforms extends AsyncDisposable {
  /** The configuration of an account on each. */
  readonly channels: Readonly<Record<string, object>>;
}

/** Starts the platforms. */
export async function startFakePlatforms(): Promise<FakePlatforms> {
  await using stack = new AsyncDisposableStack();
  const feishu = stack.use(await FakeFeishu.start());
  const slack = stack.use(await FakeSlack.start());
  const irc = stack.use(await FakeIrc.start());
  const telegram = stack.use(await FakeTelegram.start());
  const discord = stack.use(await FakeDiscord.start());
  const { appId, appSecret } = feishu.app;
  const { botToken, appToken } = slack.app;
  const kept = stack.move();
  return {
    channels: {
      feishu: { appId, appSecret, baseUrl: feishu.baseUrl, transport: { type: "websocket" } },
      slack: { botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken } },
      irc: { host: "127.0.0.1", port: irc.port, tls: false, nick: "factotum" },
      telegram: { token: telegram.app.token, baseUrl: telegram.baseUrl, transport: { type: "polling" } },
      discord: { token: discord.app.token, baseUrl: discord.baseUrl },
    },
    [Symbol.asyncDispose]: async () => kept.disposeAsync(),
  };
}
