import { readFile } from "node:fs/promises";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { runCommand, startProduct } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const PEOPLE = ["ou_olga", "ou_anna", "ou_bert"] as const;
type Person = (typeof PEOPLE)[number];

test("two people are paired from the terminal: the first is the owner, the second a guest until it is revoked", async () => {
  await using feishu = await FakeFeishu.start({ people: PEOPLE, chats: PEOPLE.map((person) => `oc_${person}`) });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Good day."));
  const { channels } = feishuConfig(feishu, "", { allowFrom: [] }) as { readonly channels: object };
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    channels,
  };
  let product = await startProduct({ config });
  const { home } = product;
  const run = async (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home });
  let count = 0;
  const say = async (person: Person, text: string): Promise<void> => {
    count += 1;
    const messageId = `om_${String(count).padStart(32, "0")}`;
    feishu.addInbound({ messageId, chatId: `oc_${person}` });
    const event = feishuMessageEvent(feishu.app, {
      chatId: `oc_${person}`,
      chatType: "p2p",
      messageType: "text",
      content: { text },
      messageId,
      senderOpenId: person,
    });
    expect((await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event))).ok).toBe(true);
  };
  const codeOf = async (person: Person): Promise<string> => {
    const { pending } = JSON.parse((await run("pairing", "list", "--json")).stdout) as {
      readonly pending: readonly { readonly senderId: string; readonly code: string }[];
    };
    return pending.find(({ senderId }) => senderId === person)?.code ?? "";
  };
  try {
    await say("ou_olga", "canary-one");
    await waitForSent(feishu, 1);
    const code = await codeOf("ou_olga");
    expect(JSON.stringify(feishu.sent[0])).toContain(`factotum pairing approve ${code}`);
    expect((await run("status")).stdout).toContain(`${code}  feishu/default "ou_olga"`);
    // A second message gets no second code.
    await say("ou_olga", "canary-two");
    expect((await run("pairing", "approve", "AAAAAAAA")).code).not.toBe(0);
    const approved = await run("pairing", "approve", code.toLowerCase());
    expect(approved.stdout).toContain("This person is the owner now");
    await waitForSent(feishu, 2);
    expect(JSON.stringify(feishu.sent[1])).toContain("you are my owner now");
    expect(await readFile(path.join(home, "factotum.json5"), "utf8")).toContain("feishu:ou_olga");
    expect((await run("pairing", "approve", code)).code).not.toBe(0);
    await say("ou_olga", "/whoami");
    await waitForSent(feishu, 3);
    expect(JSON.stringify(feishu.sent[2])).toContain("You are the owner.");

    await say("ou_anna", "canary-three");
    await waitForSent(feishu, 4);
    await product.end("SIGKILL");
    product = await startProduct({ config: { ...config, commands: { ownerAllowFrom: ["feishu:ou_olga"] } }, home });
    const guest = await run("pairing", "approve", await codeOf("ou_anna"));
    expect(guest.stdout).not.toContain("owner");
    await waitForSent(feishu, 5);
    await say("ou_anna", "hello");
    await waitForSent(feishu, 6);
    expect(JSON.stringify(feishu.sent[5])).toContain("Good day.");
    expect((await run("pairing", "revoke", "feishu:default", "ou_anna")).stdout).toContain("can no longer talk to the assistant");
    expect((await run("pairing", "revoke", "feishu:default", "ou_anna")).code).not.toBe(0);

    await say("ou_bert", "let me in");
    await waitForSent(feishu, 7);
    expect((await run("pairing", "reject", await codeOf("ou_bert"))).stdout).toContain("is not admitted");
    await say("ou_bert", "let me in");
    await expect.poll(async () => (await run("status")).stdout).toContain("sender ou_bert: 1");
    expect(feishu.sent).toHaveLength(7);
    expect(JSON.stringify(model.requests)).not.toContain("canary");
  } finally {
    await product[Symbol.asyncDispose]();
  }
});
