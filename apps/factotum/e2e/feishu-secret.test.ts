import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { GatewayStatus } from "@factotum/protocol";
import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

const ROTATED = "another-secret-of-the-fake-0123456789";

describe.each(["webhook", "websocket"] as const)("a rotated app secret, over the %s transport", (type) => {
  test("degrades the account, holds its messages, and sends them in order with the new secret", async () => {
    await using scene = await startFeishuScene(undefined, type === "websocket" ? { account: { transport: { type } } } : {});
    const { feishu, model, product } = scene;
    if (type === "websocket") await feishu.longConnection.connected();
    model.respond(({ body }) => sayText(`answer ${(body?.["messages"] as readonly unknown[] | undefined)?.length ?? 0}`));
    const say = async (messageId: string): Promise<void> => {
      feishu.addInbound({ messageId, chatId: "oc_dm" });
      const message = {
        chatId: "oc_dm",
        chatType: "p2p",
        messageType: "text",
        content: { text: "hello" },
        senderOpenId: "ou_zhangsan",
      } as const;
      const event = feishuMessageEvent(feishu.app, { ...message, messageId });
      if (type === "websocket") expect(await feishu.longConnection.deliver(event)).toBe(200);
      else await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
    };
    const status = async (): Promise<GatewayStatus> =>
      JSON.parse((await runCommand(["status", "--json"], { home: product.home })).stdout) as GatewayStatus;
    const account = async (): Promise<GatewayStatus["channels"][number] | undefined> =>
      (await status()).channels.find(({ channel }) => channel === "feishu");

    await say("om_1123456789abcdef1123456789abcdef");
    await scene.waitForSent(1);
    const { appSecret } = feishu.app;
    feishu.rotateSecret(ROTATED);
    await say("om_2123456789abcdef2123456789abcdef");
    await expect.poll(account, { timeout: 10_000 }).toMatchObject({ state: "degraded", detail: expect.stringContaining("10014") });
    await say("om_3123456789abcdef3123456789abcdef");
    await expect
      .poll(async () => (await status()).outbox, { timeout: 10_000 })
      .toMatchObject({ deadLettered: 0, blocked: [{ waiting: 2, reason: expect.stringMatching(/^unauthorized: .*10014/) }] });
    expect(feishu.sent).toHaveLength(1);
    const { findings } = JSON.parse((await runCommand(["doctor", "--json"], { home: product.home })).stdout) as { findings: unknown[] };
    const told = expect.stringMatching(/10014/) as string;
    const fix = expect.any(String) as string;
    expect(findings).toContainEqual({ check: "channel", level: "warning", account: "feishu/default", message: told, fix });
    const delivery = {
      check: "delivery",
      level: "error",
      message: expect.stringMatching(/^feishu\/default oc_dm: 2 not sent since .*10014/) as string,
    };
    expect(findings).toContainEqual({ ...delivery, fix });

    const configPath = path.join(product.home, "factotum.json5");
    const config = await readFile(configPath, "utf8");
    expect(config).toContain(appSecret);
    await writeFile(configPath, config.replaceAll(appSecret, ROTATED));
    await scene.waitForSent(3);
    expect(feishu.sent.map(({ content }) => content)).toEqual([{ text: "answer 1" }, { text: "answer 3" }, { text: "answer 5" }]);
    // A new webhook channel has no evidence until the platform calls it.
    const state = type === "websocket" ? "connected" : "starting";
    await expect.poll(async () => (await account())?.state, { timeout: 10_000 }).toBe(state);
    expect((await status()).outbox).toMatchObject({ waiting: 0, deadLettered: 0, ambiguous: 0, blocked: [] });
  });
});
