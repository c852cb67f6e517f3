import { withoutUndefined } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { replyContext: true });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(home?: string): Promise<void> {
  running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    accountConfig: { allowFrom: ["owner-1"] },
    ...withoutUndefined({ home }),
  });
}

const withToken = (text: string, data: string, expiresAtMs = Date.now() + 900_000): MsgContext =>
  platform.message(text, { replyContext: { data, expiresAtMs } });
const sentWith = (): readonly (string | undefined)[] => platform.sent.map(({ replyContext }) => replyContext);

test("answers, also those to commands, are sent with the reply context of their message", async () => {
  await start();
  server.script([textReply("Hello.")]);
  await platform.say(withToken("hello", "token-1"));
  await platform.waitForSends(1);
  await platform.say(withToken("/help", "token-2"));
  await platform.waitForSends(2);
  expect(sentWith().slice(0, 2)).toEqual(["token-1", "token-2"]);
});

test("an answer that was not sent before a restart is sent with the reply context of its message too", async () => {
  await start();
  server.script([textReply("Hello.")]);
  platform.answer = () => ({ type: "rejected", code: "unreachable", retry: { type: "backoff" } });
  await platform.say(withToken("hello", "token-1"));
  await expect.poll(async () => (await running.store.listPendingOutbound({ limit: 9 })).length).toBe(1);
  await running.stop();
  platform.answer = () => undefined;
  await start(running.home);
  await platform.waitForSends(1);
  expect(sentWith()).toEqual(["token-1"]);
});

test.each([
  ["has expired", async () => platform.say(withToken("hello", "token-1", Date.now() - 1))],
  ["is missing", async () => platform.say(platform.message("hello"))],
])("an answer is sent without a reply context that %s", async (_why, say) => {
  await start();
  server.script([textReply("Hello.")]);
  await say();
  await platform.waitForSends(1);
  expect(sentWith()).toEqual([undefined]);
});

test("messages of a turn to another conversation are sent without the reply context", async () => {
  await start();
  const elsewhere = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } };
  platform.targets.set("Bob", elsewhere);
  server.script([toolReply({ name: "message", input: { action: "send", target: "Bob", message: "Hi Bob" } }), textReply("Done.")]);
  await platform.say(withToken("greet Bob", "token-1"));
  await platform.waitForSends(2);
  expect(platform.sent.map(({ target, replyContext }) => [target.conversation.id, replyContext])).toEqual([
    ["dm-2", undefined],
    ["dm-1", "token-1"],
  ]);
});

test("a channel that declares no reply context gets none", async () => {
  platform = new TestPlatform();
  await start();
  server.script([textReply("Hello.")]);
  await platform.say(withToken("hello", "token-1"));
  await platform.waitForSends(1);
  expect(sentWith()).toEqual([undefined]);
});

test("a reply context over the limit is refused", async () => {
  await start();
  await expect(platform.say(withToken("hello", "x".repeat(4097)))).rejects.toThrow(RangeError);
});

test("the answer of a turn says how the turn has ended; what is sent while it runs, and answers to commands, do not", async () => {
  await start();
  server.script([toolReply({ id: "1", name: "message", input: { action: "send", message: "One moment." } }), textReply("Hello.")]);
  await platform.say(withToken("hello", "token-1"));
  await platform.waitForSends(2);
  await platform.say(withToken("/help", "token-2"));
  await platform.waitForSends(3);
  const ends = platform.sent.slice(0, 3).map(({ outbound, endsTurn }) => [outbound.type === "text" && outbound.text, endsTurn]);
  expect(ends.slice(0, 2)).toEqual([
    ["One moment.", undefined],
    ["Hello.", "done"],
  ]);
  expect(ends[2]?.[1]).toBeUndefined();
});
