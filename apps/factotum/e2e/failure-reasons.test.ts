import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText, startListingServer, startStrictServer } from "@factotum/testing-providers";
import { type Product, runCommand, startProduct } from "@factotum/testing-product";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const KEY = "sk-ant-test-0123456789-never-shown";
const REASON =
  /anthropic refused the key in models\.providers\.anthropic\.apiKey for claude-sonnet-4-6 \(401\): invalid x-api-key.*Set a valid one with .{1,2}factotum auth set anthropic/;
const GENERAL = "The key for the model's provider is missing or not valid. A valid one must be set. Then send the message again.";
const OWNER = "ou_owner";
const OTHER = "ou_other";

/** Returns a function that sends a direct message and resolves with the bot's reaction. */
function feishuSpeaker(feishu: FakeFeishu, { url }: Product): (senderOpenId: string, chatId: string) => Promise<string> {
  let serial = 0;
  return async (senderOpenId, chatId) => {
    serial += 1;
    const messageId = `om_${serial}123456789abcdef6123456789abcdef`;
    const before = feishu.sent.length;
    const content = { text: "hello" };
    const event = feishuMessageEvent(feishu.app, { chatId, chatType: "p2p", messageType: "text", content, senderOpenId, messageId });
    feishu.addInbound({ messageId, chatId });
    await fetch(feishuWebhookRequest(feishu.app, `${url}/channels/feishu/default`, event));
    await waitForSent(feishu, before + 1);
    return JSON.stringify(feishu.sent.slice(before));
  };
}

test("a missing key is reported before any request is made: at the start, on the command line, on /v1 and in status", async () => {
  await using product = await startProduct({ config: { agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } } } });
  const missing = /There is no key for anthropic: set ANTHROPIC_API_KEY, or run "factotum auth set anthropic"\./;
  await expect.poll(() => product.output()).toMatch(missing);
  const asked = await runCommand(["agent", "--message", "hello"], { home: product.home });
  expect(asked).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(missing) });
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  const answer = client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hello" }] });
  await expect(answer).rejects.toMatchObject({ status: 502, code: "unauthorized", message: expect.stringMatching(missing) });
  const { stdout } = await runCommand(["status"], { home: product.home });
  expect(stdout).toMatch(new RegExp(`agent +main.*${missing.source}`));
  expect(stdout).toMatch(new RegExp(`the newest run failed.*${missing.source}`));
});

test("a refused key: the owner sees which one and where it is configured, other people that it is refused, and no one the key", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  await using feishu = await FakeFeishu.start({ people: [OWNER, OTHER], chats: ["oc_owner", "oc_other"] });
  model.respond(() => ({ type: "error", errorType: "authentication", message: `invalid x-api-key ${KEY}` }));
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: KEY } } },
      ...feishuConfig(feishu, OWNER, { allowFrom: [OWNER, OTHER] }),
      session: { dmScope: "per-channel-peer" },
    },
  });
  const say = feishuSpeaker(feishu, product);
  expect(await say(OWNER, "oc_owner")).toMatch(REASON);
  expect(await say(OTHER, "oc_other")).toContain(GENERAL);
  const asked = await runCommand(["agent", "--message", "hello"], { home: product.home });
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(REASON) });
  const { stdout } = await runCommand(["status"], { home: product.home });
  expect(stdout).toMatch(REASON);
  for (const shown of [asked.stderr, stdout, product.output(), JSON.stringify(feishu.sent)]) expect(shown).not.toContain(KEY);
  // A successful run clears the failure.
  model.respond(() => sayText("Here."));
  expect(await runCommand(["agent", "--message", "hello"], { home: product.home })).toMatchObject({ code: 0, stdout: "Here.\n" });
  expect((await runCommand(["status"], { home: product.home })).stdout).not.toContain("newest run failed");
});

test("a retired model and a provider that is down: the owner sees the reason and the address, other people a general sentence", async () => {
  const provider = await startListingServer({ key: KEY, models: ["llama-9"], retired: ["llama-9"] });
  await using feishu = await FakeFeishu.start({ people: [OWNER, OTHER], chats: ["oc_owner", "oc_other"] });
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "groq/llama-9" } },
      models: { providers: { groq: { baseUrl: provider.url, apiKey: KEY } } },
      ...feishuConfig(feishu, OWNER, { allowFrom: [OWNER, OTHER] }),
      session: { dmScope: "per-channel-peer" },
    },
  });
  const say = feishuSpeaker(feishu, product);
  expect(await say(OWNER, "oc_owner")).toContain(`models.providers.groq.baseUrl (${provider.url}`);
  const retired = await say(OTHER, "oc_other");
  expect(retired).toContain("The model was not found at its provider. Its name must be corrected in the configuration.");
  await provider[Symbol.asyncDispose]();
  expect(await say(OWNER, "oc_owner")).toContain("groq/llama-9 cannot be reached: ECONNREFUSED.");
  const down = await say(OTHER, "oc_other");
  expect(down).toContain("The model's provider could not be reached.");
  for (const shown of [retired, down]) for (const detail of [provider.url, "groq", KEY]) expect(shown).not.toContain(detail);
});
