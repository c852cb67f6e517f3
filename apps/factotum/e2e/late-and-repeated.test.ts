import { RPC_METHODS } from "@factotum/protocol";
import type { DeadLetter } from "@factotum/protocol";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";
const HOUR_MS = 3_600_000;

const idOf = (number: number): string => `om_${String(number).padStart(32, "0")}`;

test("a message under several event ids is answered once, and one that comes a day late is a dead letter that can be replayed", async () => {
  await using feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Here you are."));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    ...feishuConfig(feishu, USER),
  };
  const push = async ({ url }: Product, number: number, text: string, ageMs = 0): Promise<number> => {
    feishu.addInbound({ messageId: idOf(number), chatId: CHAT });
    const event = feishuMessageEvent(feishu.app, {
      chatId: CHAT,
      chatType: "p2p",
      messageType: "text",
      content: { text },
      senderOpenId: USER,
      messageId: idOf(number),
      createTimeMs: Date.now() - ageMs,
    });
    return (await fetch(feishuWebhookRequest(feishu.app, `${url}/channels/feishu/default`, event))).status;
  };
  const letters = async ({ home }: Product): Promise<readonly DeadLetter[]> =>
    RPC_METHODS["deadletters.list"].result.parse(JSON.parse((await runCommand(["deadletters", "list", "--json"], { home })).stdout))
      .letters;

  await using first = await startProduct({ config });
  // Each push has a separate event id.
  expect(await Promise.all([1, 1, 1].map(async (number) => push(first, number, "The same message.")))).toEqual([200, 200, 200]);
  await waitForSent(feishu, 1);
  expect(await push(first, 1, "The same message.")).toBe(200);
  await first.end("SIGKILL");

  await using second = await startProduct({ config, home: first.home });
  expect(await push(second, 1, "The same message.")).toBe(200);
  expect(await push(second, 2, "An old wish.", 30 * HOUR_MS)).toBe(200);
  await waitForSent(feishu, 2);
  expect(await push(second, 3, "Another old wish.", 26 * HOUR_MS)).toBe(200);
  expect(await push(second, 4, "A message of today.", 23 * HOUR_MS)).toBe(200);
  await waitForSent(feishu, 3);
  const listed = await letters(second);
  expect(listed.map(({ reason, text }) => [reason, text])).toEqual([
    ["too-old", "Another old wish."],
    ["too-old", "An old wish."],
  ]);

  expect(await runCommand(["deadletters", "replay", listed[1]?.id ?? ""], { home: second.home })).toMatchObject({ code: 0 });
  await waitForSent(feishu, 4);
  expect(await letters(second)).toEqual(listed.slice(0, 1));
  await second.end("SIGTERM");

  const sent = feishu.sent.map(({ parentId, content }) => [parentId, JSON.stringify(content)]);
  expect(sent.map(([parentId]) => parentId)).toEqual([1, 2, 4, 2].map(idOf));
  for (const index of [0, 2, 3]) expect(sent[index]?.[1]).toContain("Here you are.");
  expect(sent[1]?.[1]).toContain("more than 24 hours late");
  expect(model.requests).toHaveLength(3);
  expect(model.violations).toEqual([]);
});
