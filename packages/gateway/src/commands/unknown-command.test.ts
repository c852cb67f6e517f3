import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Answered."));
  platform = new TestPlatform();
  running = await startTestGateway({
    platform,
    accountConfig: { allowFrom: ["guest-1"], groups: { "group-1": { requireMention: false } } },
    patch: withModel(server.baseUrl),
  });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

test.each([
  ["/stauts", "Did you mean /status?"],
  ["/HLEP", "Did you mean /help?"],
  ["/models list", "Did you mean /model?"],
  ["/newer", "Did you mean /new?"],
  ["/nonsense", "There is no command /nonsense. /help lists them all."],
  ["/nonsense and more\nwords", "There is no command /nonsense."],
])("%j is answered without a model call", async (text, answer) => {
  expect(await say(text)).toEqual([expect.stringContaining(answer)]);
  expect(server.requests).toEqual([]);
});

test.each([
  "/tmp",
  "/tmp is full",
  "/Users and /home are the same here",
  "/home/user/x",
  "/etc/hosts",
  "/notes.md",
  "/",
  "//comment",
  "/?",
  "/status please",
  "/new ideas please",
  "what does /nonsense do?",
])("%j is a message", async (text) => {
  expect(await say(text)).toEqual(["Answered."]);
});

test("does not reveal an owner's command to a guest", async () => {
  const [answer = ""] = await say("/trsut", { sender: { id: "guest-1", isBot: false } });
  expect(answer).toContain("There is no command /trsut. /help");
  expect((await say("/trsut"))[0]).toContain("Did you mean /trust?");
});

test("in a group it is answered if it addresses the assistant; otherwise it may be meant for another bot", async () => {
  expect(await say("/roll", { origin: GROUP, mentionsBot: true })).toEqual([expect.stringContaining("There is no command /roll.")]);
  expect(server.requests).toEqual([]);
  await say("/roll", { origin: GROUP, mentionsBot: false });
  expect(server.requests).toHaveLength(1);
});
