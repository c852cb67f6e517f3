import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";
const FOLLOW_UPS = Array.from({ length: 10 }, (_, index) => `follow-up ${index}.`);

/** The model's last instruction: the newest of our messages in a request. */
const newest = (body: unknown): string =>
  JSON.stringify(body)
    .match(/slow one\.|follow-up \d\./g)
    ?.at(-1) ?? "nothing";

test.each([
  ["SIGTERM", "followup"],
  ["SIGKILL", "followup"],
  ["SIGTERM", "steer"],
  ["SIGKILL", "steer"],
] as const)(
  "ten follow-ups behind a slow turn, then %s, in the mode %s: each is answered once",
  { timeout: 300_000 },
  async (signal, mode) => {
    await using feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      messages: { queue: { mode } },
      ...feishuConfig(feishu, USER),
    };
    await using first = await startProduct({ config });
    const say = async (url: string, text: string, number: number): Promise<number> => {
      const messageId = `om_${String(number).padStart(32, "0")}`;
      feishu.addInbound({ messageId, chatId: CHAT });
      const event = feishuMessageEvent(feishu.app, {
        chatId: CHAT,
        chatType: "p2p",
        messageType: "text",
        content: { text },
        senderOpenId: USER,
        messageId,
      });
      return (await fetch(feishuWebhookRequest(feishu.app, `${url}/channels/feishu/default`, event))).status;
    };

    const gate = model.hold();
    expect(await say(first.url, "slow one.", 100)).toBe(200);
    await model.nextRequest();
    for (const [index, text] of FOLLOW_UPS.entries()) expect(await say(first.url, text, index)).toBe(200);
    await first.end(signal);
    gate.open();
    expect(feishu.sent).toEqual([]);

    model.respond(({ body }) => sayText(`You said: ${newest(body)}`));
    await using second = await startProduct({ config, home: first.home });
    await waitForSent(feishu, 1 + FOLLOW_UPS.length);
    await second.end("SIGTERM");
    const answers = feishu.sent.map(({ content }) => JSON.stringify(content).match(/You said: [^"]*/)?.[0]);
    expect(answers).toEqual(["slow one.", ...FOLLOW_UPS].map((text) => `You said: ${text}`));
    expect(model.violations).toEqual([]);
  },
);
