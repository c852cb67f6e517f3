import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { runCommand, startProduct } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const PEOPLE = ["ou_olga", "ou_anna"];

test("doctor names the session that two people share, and the key that allows it", async () => {
  await using feishu = await FakeFeishu.start({ people: PEOPLE, chats: PEOPLE.map((person) => `oc_${person}`) });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Yes."));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    session: { sharedMain: true },
    ...feishuConfig(feishu, "ou_olga", { allowFrom: PEOPLE }),
  };
  await using product = await startProduct({ config });
  for (const [index, person] of PEOPLE.entries()) {
    const messageId = `om_${String(index).padStart(32, "0")}`;
    const chatId = `oc_${person}`;
    feishu.addInbound({ messageId, chatId });
    const content = { text: "Are you there?" };
    const said = { chatId, chatType: "p2p", messageType: "text", content, senderOpenId: person, messageId } as const;
    await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, said)));
    await waitForSent(feishu, index + 1);
  }
  const { stdout } = await runCommand(["doctor", "--json"], { home: product.home });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly check: string; readonly fix?: string }[] };
  expect(findings.filter(({ check }) => check === "sharing")).toMatchObject([
    { fix: expect.stringContaining("session.sharedMain") as string },
  ]);
});
