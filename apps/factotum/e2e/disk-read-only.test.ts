import { mkdir } from "node:fs/promises";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { canMountFailingDisk, mountFailingDisk, runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";

test.runIf(canMountFailingDisk("a disk that turns read-only"))(
  "on a disk that turns read-only nothing new is taken, and what was taken is answered once it may be written again",
  { timeout: 180_000 },
  async () => {
    await using disk = await mountFailingDisk();
    const home = path.join(disk.folder, "home");
    await mkdir(home);
    await using feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(feishu, USER),
    };
    const say = async (product: Product, text: string, number: number): Promise<number> => {
      const messageId = `om_${String(number).padStart(32, "0")}`;
      feishu.addInbound({ messageId, chatId: CHAT });
      const content = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: USER, messageId } as const;
      const request = feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, content));
      return (await fetch(request)).status;
    };
    await using first = await startProduct({ config, home });
    const gate = model.hold();
    expect(await say(first, "the first one", 1)).toBe(200);
    await model.nextRequest();
    disk.fail();
    model.respond(() => sayText("It is answered."));
    gate.open();
    await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503);
    expect(await (await fetch(`${first.url}/readyz`)).json()).toEqual({
      ready: false,
      reason: expect.stringContaining("nothing was stored") as string,
    });
    expect(await say(first, "the second one", 2)).toBe(503);
    const status = await runCommand(["status"], { home });
    expect(status.stdout).toMatch(/storage {4}! full: /);
    // Nobody is told what the disk does not know.
    expect(feishu.sent).toEqual([]);
    await first.end("SIGTERM");

    disk.repair();
    await using second = await startProduct({ home });
    await waitForSent(feishu, 1);
    expect(await say(second, "the second one", 2)).toBe(200);
    await waitForSent(feishu, 2);
    expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(feishu.sent.map(({ parentId }) => parentId)).toEqual([1, 2].map((number) => `om_${String(number).padStart(32, "0")}`));
  },
);
