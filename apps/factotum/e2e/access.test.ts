import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { runCommand, startProduct } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const PERSON = "ou_olga";
const CHAT = "oc_dm";

test("a person whose message was refused becomes the owner by the command that the log names", async () => {
  await using feishu = await FakeFeishu.start({ people: [PERSON], chats: [CHAT] });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Good day, Olga."));
  const { channels } = feishuConfig(feishu, PERSON, { allowFrom: [], dmPolicy: "allowlist" }) as { readonly channels: object };
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      channels,
    },
  });
  const run = async (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home });
  const say = async (number: number): Promise<void> => {
    const messageId = `om_${String(number).padStart(32, "0")}`;
    feishu.addInbound({ messageId, chatId: CHAT });
    const event = feishuMessageEvent(feishu.app, {
      chatId: CHAT,
      chatType: "p2p",
      messageType: "text",
      content: { text: `Message ${number}` },
      messageId,
      senderOpenId: PERSON,
    });
    await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
  };
  await say(1);
  await say(2);
  await expect.poll(async () => (await run("status")).stdout).toContain("refused    2 messages");
  const { stdout: status } = await run("status");
  expect(status).toContain(
    `feishu/default sender ${PERSON}: 2, the newest less than a minute ago; admit: factotum access allow feishu:default ${PERSON}`,
  );
  const { stdout: log } = await run("logs", "--json");
  const lines = log.split("\n").filter((line) => line.includes("A message was refused"));
  expect(lines).toHaveLength(1);
  const { level, ifItIsYou } = JSON.parse(lines[0] ?? "") as { readonly level: string; readonly ifItIsYou: string };
  expect(level).toBe("info");
  expect(ifItIsYou).toBe(`factotum access allow feishu:default ${PERSON} --owner`);
  expect((await run(...ifItIsYou.split(" ").slice(1))).stderr).toContain("uses it from now on");
  await say(3);
  await waitForSent(feishu, 1);
  expect(JSON.stringify(feishu.sent)).toContain("Good day, Olga.");
  expect((await run("status")).stdout).not.toContain("refused");
});
