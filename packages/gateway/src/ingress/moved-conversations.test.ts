import { messageId } from "@factotum/channel-contract";
import type { Conversation, MsgContext, Origin, SendReceipt } from "@factotum/channel-contract";
import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const group = (id: string): Conversation => ({ kind: "group", id });
const at = (conversation: Conversation): Origin => ({ channel: "test", accountId: "default", conversation });
/** A platform may name anybody as the author of a move: here one who may not talk. */
const NOBODY = { id: "nobody", isBot: false };
const KEY = "agent:main:test:group:a";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let answers = 0;

beforeEach(async () => {
  answers = 0;
  server = await startAnthropicServer();
  platform = new TestPlatform();
  await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(
  options: Partial<Parameters<typeof startTestGateway>[0]> & { readonly config?: (config: FactotumConfig) => FactotumConfig } = {},
): Promise<void> {
  // Only the first id of the group is listed.
  const accountConfig: Partial<AccountConfig> = { groups: { a: { requireMention: true, allowFrom: ["owner-1"] } } };
  const { config = (same) => same, ...rest } = options;
  running = await startTestGateway({ platform, patch: (loaded) => withModel(server.baseUrl)(config(loaded)), accountConfig, ...rest });
}

/** Says something with a mention, and resolves with everything that the model got for it. */
async function ask(text: string, conversation: Conversation | string, extra: Partial<MsgContext> = {}): Promise<string> {
  server.script([textReply(`Answer ${(answers += 1)}.`)]);
  const before = server.requests.length;
  const origin = at(typeof conversation === "string" ? group(conversation) : conversation);
  await platform.say(platform.message(text, { origin, mentionsBot: true, ...extra }));
  await running.gateway.engine.idle();
  expect(server.requests.length).toBe(before + 1);
  return JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
}

async function move(from: Conversation | string, to: Conversation | string, eventId?: string): Promise<void> {
  const [before, after] = [from, to].map((one) => (typeof one === "string" ? group(one) : one));
  if (before === undefined || after === undefined) throw new Error("no address");
  const event = { type: "moved", to: after } as const;
  await platform.say(platform.message("", { origin: at(before), event, sender: NOBODY, ...(eventId !== undefined && { eventId }) }));
}

async function keys(): Promise<readonly string[]> {
  const { items } = await running.store.listSessions({ limit: 20 });
  return items.map(({ key }) => key).toSorted();
}

const lastSent = (): { readonly id: string | undefined; readonly text: string | undefined } => {
  const last = platform.sent.at(-1);
  return { id: last?.target.conversation.id, text: last?.outbound.type === "text" ? last.outbound.text : undefined };
};

test("the next message in the new conversation continues the session, and its answer goes there", async () => {
  await ask("my number is 7341", "a");
  await running.store.patchSession(KEY, { overrides: { thinking: "high" } }, { nowMs: Date.now() });
  await platform.say(platform.message("overheard before", { origin: at(group("a")) }));
  await move("a", "b");
  await platform.say(platform.message("overheard after", { origin: at(group("b")) }));
  const got = await ask("what is it?", "b");
  expect(got).toContain("7341");
  expect(got).toMatch(/overheard before.*overheard after/);
  expect(lastSent()).toEqual({ id: "b", text: "Answer 2." });
  expect(await keys()).toEqual([KEY]);
  expect((await running.store.readSession(KEY))?.overrides.thinking).toBe("high");
});

test("an event of an admitted author is shown as well, threads keep their sessions, and rules of others do not widen", async () => {
  const thread: Conversation = { ...group("a"), threadId: "t" };
  await ask("in the thread 5512", thread);
  await ask("in the group 7341", "a");
  await platform.say(platform.message("", { origin: at(group("a")), event: { type: "moved", to: group("b") } }));
  const got = await ask("and?", "b");
  expect(got).toContain('The conversation moved to \\"b\\"');
  expect(got).not.toContain("5512");
  expect(await ask("and here?", { ...group("b"), threadId: "t" })).toContain("5512");
  expect(platform.sent.at(-1)?.target.conversation).toEqual({ ...group("b"), threadId: "t" });
  const { length } = server.requests;
  await platform.say(platform.message("me too", { origin: at(group("b")), mentionsBot: true, sender: NOBODY }));
  await platform.say(platform.message("elsewhere", { origin: at(group("x")), mentionsBot: true }));
  await running.gateway.engine.idle();
  expect(server.requests).toHaveLength(length);
});

test("what waits for the old address is sent to the newest one, in order, as messages without references", async () => {
  const later: SendReceipt = { type: "rejected", code: "unreachable", retry: { type: "after", delayMs: 300 }, message: "moving" };
  platform.receipts = [later];
  server.script([textReply("[[reply_to_current]]Waiting.")]);
  await platform.say(platform.message("hello", { origin: at(group("a")), mentionsBot: true }));
  await expect.poll(() => running.gateway.engine.parts.dispatcher.blocked.length).toBe(1);
  await move("a", "b");
  await move("b", "c");
  server.script([textReply("Second.")]);
  await platform.say(platform.message("and?", { origin: at(group("c")), mentionsBot: true }));
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ target, outbound }) => [target.conversation.id, outbound])).toMatchObject([
    ["c", { type: "text", text: "Waiting." }],
    ["c", { type: "text", text: "Second." }],
  ]);
  expect(platform.sent[0]?.outbound).not.toHaveProperty("replyTo");
  expect(running.gateway.engine.parts.dispatcher.blocked).toEqual([]);
});

test("chains continue one session; repeats and ways back change nothing", async () => {
  await ask("my number is 7341", "a");
  await move("a", "b", "first");
  await move("a", "b", "first");
  await move("a", "b");
  await move("b", "c");
  await move("c", "a");
  await move("a", "x");
  expect(await ask("what is it?", "c")).toContain("7341");
  expect(lastSent().id).toBe("c");
  expect(await keys()).toEqual([KEY]);
  await running.stop();
  await start({ home: running.home });
  expect(await ask("and now?", "c")).toContain("7341");
  expect(lastSent().id).toBe("c");
});

test("a session that the new conversation has already stays, and the event is shown in the old one", async () => {
  await running.stop();
  const open: Partial<AccountConfig> = { groupPolicy: "open" };
  await start({ home: running.home, accountConfig: open });
  await ask("old 7341", "a");
  await ask("new 5512", "b");
  await platform.say(platform.message("", { origin: at(group("a")), event: { type: "moved", to: group("b") } }));
  const got = await ask("and?", "b");
  expect(got).toContain("5512");
  expect(got).not.toContain("7341");
  expect(await ask("still here?", "a")).toContain("The conversation moved to");
  // Nothing arrives at the old address any more.
  expect(lastSent().id).toBe("b");
});

test.each<[string, Conversation, Conversation]>([
  ["from a group to a person", group("a"), { kind: "direct", id: "dm-1" }],
  ["into a thread", group("a"), { ...group("b"), threadId: "t" }],
  ["to itself", { ...group("a"), threadId: "t" }, group("a")],
])("a move %s changes no address", async (_what, from, to) => {
  await ask("my number is 7341", "a");
  await move(from, to);
  expect(await running.store.listMoves()).toEqual([]);
  await ask("and?", "a");
  expect(lastSent().id).toBe("a");
});

test("a kill between the commit of the event and the next message changes nothing", async () => {
  await ask("my number is 7341", "a");
  await running.stop();
  let commits = 0;
  await start({
    home: running.home,
    crashPoint: (point) => {
      if (point === "after-inbound-commit" && (commits += 1) === 1) throw new Error("killed");
    },
  });
  await expect(move("a", "b", "the move")).rejects.toThrow("killed");
  await running.stop();
  await start({ home: running.home });
  await move("a", "b", "the move");
  expect(await ask("what is it?", "b")).toContain("7341");
  expect(await keys()).toEqual([KEY]);
});

test("an owner's message that waits in the new conversation when the move arrives joins the continued session", async () => {
  await running.stop();
  const wait = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    messages: { ...config.messages, inbound: { ...config.messages.inbound, debounceMs: 500 } },
  });
  await start({ home: running.home, accountConfig: { groupPolicy: "open" }, config: wait });
  await ask("my number is 7341", "a");
  server.script([textReply("Here.")]);
  await platform.say(platform.message("what is it?", { origin: at(group("b")), mentionsBot: true, messageId: messageId("early") }));
  await move("a", "b");
  await running.gateway.engine.idle();
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("7341");
  expect(await keys()).toEqual([KEY]);
});
