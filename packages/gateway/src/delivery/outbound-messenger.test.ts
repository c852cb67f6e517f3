import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Origin, SendReceipt } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const CHAT: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1", threadId: "t-1" } };
/** What a platform makes of the chat's id without knowing its kind. */
const GUESSED: Origin = { ...CHAT, conversation: { kind: "group", id: "dm-1" } };
const OTHER: Origin = { ...CHAT, conversation: { kind: "direct", id: "other-chat" } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { media: [{ kind: "file", maxBytes: 1_000 }] });
  platform.targets.set("dm-1", GUESSED).set("channel:dm-1", GUESSED).set("other-chat", OTHER);
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await mkdir(path.join(running.home, "workspace"), { recursive: true });
  await writeFile(path.join(running.home, "workspace", "notes.txt"), "words");
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What is sent, and where, when the model calls `message` and then answers with this text. */
async function sentAfter(input: Readonly<Record<string, unknown>>, words: string): Promise<unknown[]> {
  server.script([toolReply({ name: "message", input: { action: "send", ...input } }), textReply(words)]);
  await platform.say(platform.message("go on", { origin: CHAT }));
  await running.gateway.engine.idle();
  return platform.sent.map(({ target, outbound }) => [
    target.conversation,
    outbound.type === "text" ? outbound.text : outbound.type === "media" ? outbound.media.fileName : outbound.type,
  ]);
}

const OWN = CHAT.conversation;

test.each([{}, { target: "dm-1" }, { target: "channel:dm-1" }, { channel: "test", target: "dm-1" }, { target: null, channel: null }])(
  "a message to the run's own conversation is sent where the reply would go, and counts as the reply: %j",
  async (address) => {
    expect(await sentAfter({ message: "Done", ...address }, "Done")).toEqual([[OWN, "Done"]]);
    platform.sent.splice(0);
    expect(await sentAfter({ message: "Done", ...address }, "")).toEqual([[OWN, "Done"]]);
  },
);

test("a file sent there without text counts as an answer too", async () => {
  expect(await sentAfter({ media: "notes.txt" }, "")).toEqual([[OWN, "notes.txt"]]);
  expect((await running.store.listInputs({ state: "answered", limit: 2 })).items).toHaveLength(1);
});

test("a message to another conversation does not count as the answer to this one", async () => {
  expect(await sentAfter({ message: "Done", target: "other-chat" }, "Done")).toEqual([
    [OTHER.conversation, "Done"],
    [OWN, "Done"],
  ]);
});

const BLOCKED: SendReceipt = { type: "rejected", code: "forbidden", retry: { type: "never" }, message: "blocked by its user" };

test("a message that another conversation refuses for good is named where it was asked for, with its reason", async () => {
  platform.answer = (outbound) => ("text" in outbound && outbound.text === "Done" ? BLOCKED : undefined);
  const sent = await sentAfter({ message: "Done", target: "other-chat" }, "Sent.");
  expect(sent.filter((one) => !/"(Done|Sent\.)"/.test(JSON.stringify(one)))).toEqual([
    [OWN, "My message could not be delivered to other-chat on test: forbidden: blocked by its user"],
  ]);
});

test("a message that its own conversation refuses is not named there as one to another", async () => {
  platform.answer = (outbound) => ("text" in outbound && outbound.text === "Done" ? { ...BLOCKED, code: "rejected" } : undefined);
  const sent = await sentAfter({ message: "Done" }, "Sent.");
  expect(sent).toContainEqual([OWN, expect.stringContaining("could not be sent here")]);
  expect(JSON.stringify(sent)).not.toContain("could not be delivered to");
});
