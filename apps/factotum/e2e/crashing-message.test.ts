import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { createGate, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const PICTURE = "img_poison";
const CRASHES = 4;

/** The process dies each time it fetches the image of one message, so no turn of that message is ever on disk. */
test.each([["owner"], ["guest"]] as const)(
  "a message that crashes the gateway before its turn is stored is given up, and the others are answered once (from the %s)",
  { timeout: 300_000 },
  async (sender) => {
    const people = ["owner", "guest", "ann"];
    await using feishu = await FakeFeishu.start({ people: people.map((name) => `ou_${name}`), chats: people.map((name) => `oc_${name}`) });
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    model.respond(() => sayText("Here."));
    const home = await mkdtemp(path.join(tmpdir(), "factotum-crashing-"));
    await using _home = { [Symbol.asyncDispose]: async () => rm(home, { recursive: true, force: true }) };
    const config = {
      ...feishuConfig(feishu, "ou_owner", { allowFrom: people.map((name) => `ou_${name}`) }),
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      session: { dmScope: "per-channel-peer" },
      messages: { queue: { mode: "collect", debounceMs: 0 } },
    };
    let product: Promise<Product> | undefined;
    /** Opened once all messages before the crash are sent. */
    let said = createGate();
    feishu.intercept = async ({ path: asked }) => {
      if (!asked.includes(PICTURE)) return;
      await said.opened;
      await (await product)?.end("SIGKILL");
    };
    const say = async (url: string, name: string, messageId: string, content: object): Promise<void> => {
      feishu.addInbound({ messageId, chatId: `oc_${name}` });
      const isPost = "content" in content;
      const event = feishuMessageEvent(feishu.app, {
        chatId: `oc_${name}`,
        chatType: "p2p",
        messageType: isPost ? "post" : "text",
        content,
        senderOpenId: `ou_${name}`,
        messageId,
      });
      expect((await fetch(feishuWebhookRequest(feishu.app, `${url}/channels/feishu/default`, event))).status).toBe(200);
    };
    const poison = { title: "", content: [[{ tag: "text", text: "look" }], [{ tag: "img", image_key: PICTURE }]] };

    let boots = 0;
    const start = async (): Promise<Product> => {
      boots += 1;
      product = startProduct({ config, home });
      return product;
    };
    let running = await start();
    await say(running.url, sender, "om_1123456789abcdef1123456789abcdef", poison);
    await say(running.url, sender, "om_2123456789abcdef2123456789abcdef", { text: "still there?" });
    said.open();
    await running.ended;
    said = createGate();
    running = await start();
    await say(running.url, "ann", "om_3123456789abcdef3123456789abcdef", { text: "hello" });
    said.open();
    const isOver = waitForSent(feishu, 3).then(() => "over" as const);
    while ((await Promise.race([running.ended, isOver])) !== "over") running = await start();
    const dead = JSON.parse((await runCommand(["deadletters", "list", "--json"], { home })).stdout) as { letters: readonly object[] };
    const status = await runCommand(["status"], { home });
    await running.end("SIGTERM");

    const textsOf = (name: string): string[] =>
      feishu.sent.filter(({ receiveId }) => receiveId === `oc_${name}`).map(({ content }) => JSON.stringify(content));
    expect(boots - 1).toBe(CRASHES);
    expect(textsOf("ann")).toEqual([expect.stringContaining("Here.")]);
    const given = expect.stringContaining("Something went wrong on my side") as unknown;
    expect(textsOf(sender)).toEqual([given, expect.stringContaining("Here.")]);
    expect(dead.letters).toHaveLength(1);
    expect(JSON.stringify(dead)).toContain(`the gateway stopped while it worked on this, ${CRASHES} times`);
    expect(status.stdout).toContain("1 could not be answered");
    expect(status.stdout).toContain("feishu/default: listening at http://127.0.0.1:");
    expect(model.violations).toEqual([]);
  },
);
