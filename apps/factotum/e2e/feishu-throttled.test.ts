import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { GatewayStatus } from "@factotum/protocol";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

test("a throttled conversation is in status and metrics, and keeps the platform's delay over a restart", async () => {
  await using scene = await startFeishuScene();
  const { feishu, model } = scene;
  model.respond(() => sayText("Done."));
  const headers = { "x-ogw-ratelimit-reset": "7200" };
  feishu.failNext({ type: "refuse", status: 429, code: 99991400, message: "request trigger frequency limit", headers });
  const say = async (messageId: string): Promise<void> => {
    feishu.addInbound({ messageId, chatId: "oc_dm" });
    const content = {
      chatId: "oc_dm",
      chatType: "p2p",
      messageType: "text",
      content: { text: "hello" },
      senderOpenId: "ou_zhangsan",
    } as const;
    const event = feishuMessageEvent(feishu.app, { ...content, messageId });
    const { status } = await fetch(feishuWebhookRequest(feishu.app, `${scene.product.url}/channels/feishu/default`, event));
    expect(status).toBe(200);
  };
  const run = async (...args: readonly string[]): Promise<string> => (await runCommand(args, { home: scene.product.home })).stdout;
  const outbox = async (): Promise<GatewayStatus["outbox"]> => (JSON.parse(await run("status", "--json")) as GatewayStatus).outbox;
  const sends = (): number => feishu.requests.filter(({ path }) => path.includes("/im/v1/messages")).length;

  await say("om_1123456789abcdef1123456789abcdef");
  await expect.poll(outbox).toMatchObject({ waiting: 1, blocked: [{ conversation: "oc_dm" }] });
  await say("om_2123456789abcdef2123456789abcdef");
  await expect.poll(outbox, { timeout: 5_000 }).toMatchObject({ waiting: 2, blocked: [{ waiting: 2 }] });

  const lines = (await run("status")).split("\n");
  expect(lines).toContainEqual(
    expect.stringMatching(/^messages {3}0 waiting to be answered, 2 waiting to be sent, the oldest for less than a minute$/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /! feishu\/default oc_dm: 2 not sent for less than a minute \(rate-limited: .*99991400.*\), next try in 1\d\d minutes$/,
    ),
  );
  const response = await fetch(`${scene.product.url}/metrics`, { headers: { authorization: `Bearer ${scene.product.token}` } });
  expect(await response.text()).toContain('factotum_outbox_blocked{channel="feishu",reason="rate-limited"} 1\n');

  await scene.killAndStart();
  const [blocked] = (await outbox()).blocked;
  expect(blocked).toMatchObject({ waiting: 2, reason: expect.stringContaining("99991400") });
  expect(blocked?.nextTryMs).toBeGreaterThan(Date.now() + 7_000_000);
  expect(sends()).toBe(1);
});
