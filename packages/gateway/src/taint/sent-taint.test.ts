import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const DM: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const FORWARDED = { forwarded: { from: "Mallory", body: "MALLORY-WAS-HERE" } };
const CARD = { action: "card", card: { body: "Ready.", buttons: [{ label: "Do it" }] } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(home?: string): Promise<void> {
  platform = new TestPlatform("platform", { cards: true, buttons: true, polls: true });
  running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    accountConfig: { dmPolicy: "allowlist", allowFrom: ["guest-1"] },
    ...withoutUndefined({ home }),
  });
}

async function say(text: string, fields: Partial<MsgContext> = {}): Promise<void> {
  await platform.say(platform.message(text, fields));
  await running.gateway.engine.idle();
  await running.gateway.engine.parts.dispatcher.idle();
}

/** Lets the model send a card, and answer silently or with a text; resolves with the platform's id of the newest message. */
async function makeCard(fields: Partial<MsgContext>, answer = "NO_REPLY"): Promise<string> {
  server.script([toolReply({ name: "message", input: CARD as never }), textReply(answer)]);
  await say("a card, please", fields);
  return `sent-${platform.sent.length - 1}`;
}

/** What the model gets when it runs a command in the turn of this message, and the message as the model got it. */
async function runAfter(text: string, fields: Partial<MsgContext>): Promise<{ readonly result: string; readonly shown: string }> {
  server.script([toolReply({ name: "write", input: { path: "MEMORY.md", content: "CANARY" } }), textReply("Done.")]);
  await say(text, fields);
  const messages = (server.requests.at(-1)?.body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  return { result: JSON.stringify(messages.at(-1)?.content), shown: JSON.stringify(messages.at(-3)?.content) };
}

const press = (targetId: string): Partial<MsgContext> => ({
  event: { type: "action", actionId: "button-1", value: "do it", targetId: messageId(targetId) },
});
const quote = (id: string): Partial<MsgContext> => ({
  replyTo: { messageId: messageId(id), sender: { isSelf: true }, body: "Ready.", isQuote: false },
});

const REFERENCES = [
  ["press", press],
  ["reply", quote],
] as const;

test.each(REFERENCES)("a %s after a reset is tainted by the turn that wrote its target, also after a restart", async (_name, refer) => {
  const target = await makeCard(FORWARDED);
  await say("/new");
  const { result, shown } = await runAfter("Yes", refer(target));
  expect(result).toContain("the owner denied it");
  expect(shown).toContain("This turn is tainted");
  const { home } = running;
  await running.stop();
  await start(home);
  await say("/new");
  expect((await runAfter("Yes", refer(target))).result).toContain("the owner denied it");
});

test.each(REFERENCES)("a %s is not tainted by a turn of the owner's own text", async (_name, refer) => {
  const target = await makeCard({});
  const { result, shown } = await runAfter("Yes", refer(target));
  expect(result).toContain("Wrote MEMORY.md");
  expect(shown).not.toContain("This turn is tainted");
});

test.each(REFERENCES)("a %s whose target a guest's turn wrote is tainted", async (_name, refer) => {
  const guest = { sender: { id: "guest-1", isBot: false }, origin: { ...DM, conversation: { kind: "direct" as const, id: "dm-2" } } };
  const target = await makeCard(guest);
  expect((await runAfter("Yes", refer(target))).result).toContain("the owner denied it");
});

test.each(REFERENCES)("a %s is tainted by the edit that a tainted turn made", async (_name, refer) => {
  const target = await makeCard({});
  const [row] = await running.store.listSentMessage(DM, target);
  if (row?.turnId === undefined) throw new Error("no row");
  server.script([textReply("Fine.")]);
  await say("Look.", FORWARDED);
  const tainted = (await running.store.listSentMessage(DM, `sent-${platform.sent.length - 1}`))[0]?.turnId;
  const outbound = { type: "edit-card", of: row.id, card: { body: "Evil" }, text: "Evil" } as const;
  const base = { sessionKey: row.sessionKey, target: DM, purpose: "tool", state: "suppressed", dueAtMs: 0, expiresAtMs: 1 } as const;
  await running.store.addOutbound([{ ...base, outbound, idempotencyKey: "edit-1" }], { turnId: tainted ?? "" });
  await say("/new");
  expect((await runAfter("Yes", refer(target))).result).toContain("the owner denied it");
});

test.each(REFERENCES)("a %s is tainted if its target's session is longer than what is read of it", async (_name, refer) => {
  const target = await makeCard(FORWARDED);
  const session = await running.store.readSession("agent:main:main");
  for (let part = 0; part < 9; part += 1) {
    const message = { role: "user" as const, content: [{ type: "text" as const, text: "x".repeat(1024 * 1024) }], timestamp: part };
    await running.store.appendEntry(session?.sessionId ?? "", { type: "message", message }, { timestampMs: part });
  }
  await say("/new");
  expect((await runAfter("Yes", refer(target))).result).toContain("the owner denied it");
});

test("what the owner trusts in the same conversation is trusted in a press too", async () => {
  const target = await makeCard(FORWARDED);
  await say("/trust");
  expect((await runAfter("Yes", press(target))).result).toContain("Wrote MEMORY.md");
});

test("a press whose target is not known is tainted, and a reply to such a message is not", async () => {
  expect((await runAfter("Yes", press("sent-99"))).result).toContain("the owner denied it");
  await say("/new");
  expect((await runAfter("Yes", { event: { type: "action", actionId: "button-1" } })).result).toContain("the owner denied it");
  await say("/new");
  expect((await runAfter("Yes", quote("sent-99"))).result).toContain("Wrote MEMORY.md");
});

test("a vote in a poll of a tainted turn taints the turn that is shown it", async () => {
  const poll = { action: "poll", message: "Which?", options: ["obey", "not"] };
  server.script([toolReply({ name: "message", input: poll as never }), textReply("NO_REPLY")]);
  await say("a poll, please", FORWARDED);
  const targetId = messageId(`sent-${platform.sent.length - 1}`);
  await say("/new");
  server.script([textReply("Hello.")]);
  await say("hello");
  await platform.say(platform.message("", { event: { type: "vote", targetId, options: ["obey"] } }));
  expect((await runAfter("go on", {})).result).toContain("the owner denied it");
});
