import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const OWNER = "ou_olga";
const DIRECT = "oc_dm";
const GROUP = "oc_team";

/** A message of the owner, with a mention of the bot in the group. */
function message({ app }: FakeFeishu, chatId: typeof DIRECT | typeof GROUP, number: number): FeishuEnvelope {
  return feishuMessageEvent(app, {
    chatId,
    chatType: chatId === GROUP ? "group" : "p2p",
    messageType: "text",
    content: { text: `@_user_1 question ${number}` },
    // People can be mentioned in a direct message too.
    mentions: [{ key: "@_user_1", openId: app.bot.openId, name: app.bot.name }],
    senderOpenId: OWNER,
    messageId: `om_${String(number).padStart(32, "0")}`,
  });
}

describe.each(["webhook", "websocket"] as const)("over the %s transport, before the platform has returned the bot's id", (type) => {
  test(
    "direct messages pass at once; mentions in groups are refused soon and accepted when they are sent again",
    { timeout: 300_000 },
    async () => {
      await using feishu = await FakeFeishu.start({ people: [OWNER], chats: [DIRECT, GROUP] });
      const named = Promise.withResolvers<void>();
      feishu.intercept = async ({ path }) => (path.startsWith("/open-apis/bot/") ? named.promise : undefined);
      const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
      model.respond(() => sayText("Here."));
      const config = {
        agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
        ...feishuConfig(feishu, OWNER, { groupPolicy: "open", ...(type === "websocket" && { transport: { type } }) }),
      };
      await using product = await startProduct({ config });
      if (type === "websocket") await feishu.longConnection.connected();
      const push = async (event: FeishuEnvelope): Promise<number> =>
        type === "websocket"
          ? feishu.longConnection.deliver(event)
          : (await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event))).status;

      const events = Array.from({ length: 70 }, (_, index) => message(feishu, GROUP, index));
      const startedAt = performance.now();
      const mentions = events.map(push);
      // Excess messages are refused; the waiting ones take no place that the owner needs.
      expect(await Promise.race(mentions)).toBeGreaterThanOrEqual(500);
      expect(await push(message(feishu, DIRECT, 100))).toBe(200);
      await waitForSent(feishu, 1);
      expect(feishu.sent[0]?.receiveId).toBe(DIRECT);
      for (const status of await Promise.all(mentions)) expect(status).toBeGreaterThanOrEqual(500);
      expect(performance.now() - startedAt).toBeLessThan(10_000);

      named.resolve();
      for (const event of events.slice(0, 3)) await expect.poll(async () => push(event), { timeout: 120_000 }).toBe(200);
      await expect.poll(() => feishu.sent.filter(({ receiveId }) => receiveId === GROUP).length).toBeGreaterThan(0);
      await expect.poll(() => JSON.stringify(model.requests.at(-1)?.body)).toContain("question 2");
      await model.close();
    },
  );
});
