import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene, waitForSent } from "./feishu-scene.ts";

interface Config {
  readonly channels: { readonly feishu: object };
}

test("a second account, of Lark, is added and removed while the first one works", async () => {
  await using scene = await startFeishuScene();
  await using lark = await FakeFeishu.start({
    appId: "cli_b1b2c3d4e5f60718",
    appSecret: "another-secret-of-the-fake-0123456789",
    people: ["ou_anna"],
    chats: ["oc_dm"],
  });
  const { feishu, model, product } = scene;
  model.respond(() => sayText("Hello."));
  const configPath = path.join(product.home, "factotum.json5");
  const config = JSON.parse(await readFile(configPath, "utf8")) as Config;
  const write = async (channel: object): Promise<void> =>
    writeFile(configPath, JSON.stringify({ ...config, channels: { ...config.channels, feishu: channel } }));
  const first = config.channels.feishu;
  const { appId, appSecret } = lark.app;
  const second = {
    appId,
    appSecret,
    domain: "lark",
    baseUrl: lark.baseUrl,
    allowFrom: ["ou_anna"],
    transport: { type: "websocket" },
  };

  await write({ accounts: { default: first, second } });
  await lark.longConnection.connected();
  const anna = { chatId: "oc_dm", chatType: "p2p", messageType: "text", content: { text: "hi" }, senderOpenId: "ou_anna" } as const;
  const messageId = "om_1123456789abcdef1123456789abcdef";
  lark.addInbound({ messageId, chatId: "oc_dm", senderOpenId: "ou_anna" });
  expect(await lark.longConnection.deliver(feishuMessageEvent(lark.app, { ...anna, messageId }))).toBe(200);
  await waitForSent(lark, 1);
  expect([lark.sent.length, feishu.sent.length]).toEqual([1, 0]);
  // The chats have the same id, but they are two conversations.
  expect((await scene.push()).status).toBe(200);
  await scene.waitForSent(1);
  expect([lark.sent.length, feishu.sent.length]).toEqual([1, 1]);
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).not.toContain("ou_anna");

  await write({ accounts: { default: first } });
  await expect.poll(() => lark.longConnection.open, { timeout: 10_000 }).toBe(0);
  const again = { ...anna, senderOpenId: "ou_zhangsan", messageId: "om_2123456789abcdef2123456789abcdef" };
  feishu.addInbound({ messageId: again.messageId, chatId: "oc_dm" });
  const url = `${product.url}/channels/feishu/default`;
  expect((await fetch(feishuWebhookRequest(feishu.app, url, feishuMessageEvent(feishu.app, again)))).status).toBe(200);
  await scene.waitForSent(2);
  expect(lark.longConnection.opened).toBe(1);
});
