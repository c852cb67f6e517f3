import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope } from "@factotum/testing-channels";
import { runCommand, startProduct } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const PERSON = "ou_olga";
const CHAT = "oc_dm";

test("only an open id makes the owner or an admitted person: no union id, no user id, and doctor says so", async () => {
  await using feishu = await FakeFeishu.start({ people: [PERSON], chats: [CHAT] });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Yes."));
  const { channels } = feishuConfig(feishu, PERSON, { dmPolicy: "allowlist", allowFrom: [PERSON, "on_olga", "olga"] }) as {
    readonly channels: object;
  };
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    commands: { ownerAllowFrom: [`feishu:${PERSON}`, "feishu:on_olga", "feishu:olga"] },
    channels,
  };
  await using product = await startProduct({ config });
  let messages = 0;
  const push = async (senderId: object): Promise<number> => {
    messages += 1;
    const messageId = `om_${String(messages).padStart(32, "0")}`;
    feishu.addInbound({ messageId, chatId: CHAT });
    const said = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text: `Message ${messages}` }, messageId } as const;
    const envelope = feishuMessageEvent(feishu.app, said);
    const event = envelope.event as { readonly sender: object };
    const from: FeishuEnvelope = { ...envelope, event: { ...event, sender: { ...event.sender, sender_id: senderId } } };
    return (await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, from))).status;
  };
  for (const senderId of [
    { open_id: null, union_id: "on_olga", user_id: "olga" },
    { open_id: "ou_somebody", union_id: "on_olga", user_id: "olga" },
    { open_id: "", user_id: "olga" },
    { open_id: "ou_olga.", union_id: PERSON, user_id: PERSON },
  ])
    expect(await push(senderId)).toBe(200);
  expect(await push({ open_id: PERSON, union_id: "on_other", user_id: null })).toBe(200);
  await waitForSent(feishu, 1);
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("Message 5");

  const { stdout } = await runCommand(["doctor", "--json"], { home: product.home });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly check: string; readonly message: string }[] };
  const named = findings.flatMap(({ check, message }) => (check === "sender-id" ? [message] : []));
  expect(named).toHaveLength(4);
  expect(named[0]).toContain("has not the form of the id of a person");
});
