import { ACTIONS, messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

const OWNERS: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const GUESTS: Origin = { ...OWNERS, conversation: { kind: "direct", id: "dm-2" } };
const GROUP: Origin = { ...OWNERS, conversation: { kind: "group", id: "g-1" } };
const GUEST = { origin: GUESTS, sender: { id: "guest-1", isBot: false } };
const CARD = { body: "Lunch?" };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let acted: string[];

beforeEach(async () => {
  acted = [];
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", {
    reactions: true,
    cards: true,
    buttons: true,
    threads: "native",
    actions: ["pin", "unpin", "read", "reactions-list", "thread-create"],
  });
  platform.act = async ({ name, parameters }) => {
    acted.push(`${name} ${JSON.stringify(parameters)}`);
    const listed = { messageId: messageId("listed-1"), sender: "Bob", timestampMs: 1, text: "old" };
    if (name === "thread-create") return { value: { threadId: "thread-1" } };
    return { value: name === "read" ? { messages: [listed] } : {} };
  };
  platform.targets.set("g-1", GROUP).set("dm-1", OWNERS);
  running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    accountConfig: { groupPolicy: "open", dmPolicy: "allowlist", allowFrom: ["guest-1"] },
  });
  server.script([textReply("Hello"), textReply("Hello")]);
  await say({ messageId: messageId("owners-1") });
  await say({ ...GUEST, messageId: messageId("guests-1") });
  platform.sent.splice(0);
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function say(extra: Partial<MsgContext>): Promise<void> {
  await platform.say(platform.message("go on", { mentionsBot: true, ...extra }));
  await running.gateway.engine.idle();
  await running.gateway.engine.parts.dispatcher.idle();
}

/** Lets the model call `message`; resolves with the result that it got. */
async function perform(input: Readonly<Record<string, unknown>>, extra: Partial<MsgContext>): Promise<string> {
  server.script([toolReply({ name: "message", input: input as never }), textReply("NO_REPLY")]);
  await say(extra);
  const messages = server.requests.at(-1)?.body?.["messages"] as readonly { readonly content: readonly unknown[] }[];
  return JSON.stringify(messages.findLast(({ content }) => JSON.stringify(content).includes("tool_result"))?.content);
}

const FOREIGN = [
  { action: "send", message: "hi", replyTo: "owners-1" },
  { action: "card", card: CARD, replyTo: "owners-1" },
  { action: "react", messageId: "owners-1", emoji: "👍" },
  { action: "pin", messageId: "owners-1" },
  { action: "unpin", messageId: "owners-1" },
  { action: "reactions-list", messageId: "owners-1" },
  { action: "thread-create", name: "x", messageId: "owners-1" },
  { action: "read", before: "owners-1" },
  { action: "send", message: "hi", replyTo: "never-seen" },
  { action: "send", message: "hi", replyTo: "sent-0" },
];
test.each(FOREIGN)("a guest's call with a message of another conversation is refused: %j", async (input) => {
  const result = await perform(input, GUEST);
  expect(result).toContain("is not known as a message or thread of that conversation");
  expect([...platform.sent, ...acted]).toEqual([]);
});

test("every parameter of an action that names a message is tried above", () => {
  const names = Object.entries(ACTIONS).flatMap(([action, { messageIds }]) => Object.keys(messageIds).map((key) => `${action} ${key}`));
  const tried = FOREIGN.flatMap((input) => Object.entries(input).map(([key, value]) => [`${input.action} ${key}`, value] as const));
  expect(names.filter((name) => !tried.some(([key, value]) => key === name && value === "owners-1"))).toEqual([]);
});

test("a thread is one of the conversation: begun by a message of it, or listed or opened there", async () => {
  for (const threadId of ["owners-1", "never-seen"])
    expect(await perform({ action: "send", message: "hi", target: "g-1", threadId }, {})).toContain("is not known as a message or thread");
  expect(platform.sent).toEqual([]);
  await perform({ action: "thread-create", name: "x", target: "g-1" }, {});
  // What the platform answered taints the conversation.
  await platform.say(platform.message("/trust"));
  await platform.waitForSends(1);
  platform.sent.splice(0);
  await perform({ action: "send", message: "hi", target: "g-1", threadId: "thread-1" }, {});
  await perform({ action: "send", message: "hi", threadId: "owners-1" }, {});
  expect(platform.sent.map(({ target }) => target.conversation)).toEqual([
    { ...GROUP.conversation, threadId: "thread-1" },
    { ...OWNERS.conversation, threadId: "owners-1" },
  ]);
});

test.each([
  ["the owner's in another conversation", { action: "send", message: "hi", target: "g-1", replyTo: "owners-1" }],
  ["one that the owner's conversation lacks", { action: "send", message: "hi", replyTo: "guests-1" }],
])("the owner's call with a message of another conversation is refused: %s", async (_name, input) => {
  expect(await perform(input, {})).toContain("is not known as a message or thread of that conversation");
  expect(platform.sent).toEqual([]);
});

test("a reply to a message of another conversation is sent there if that conversation has it", async () => {
  server.script([textReply("NO_REPLY")]);
  await say({ origin: GROUP, messageId: messageId("group-1") });
  await perform({ action: "send", message: "hi", target: "g-1", replyTo: "group-1" }, {});
  expect(platform.sent).toMatchObject([{ target: GROUP, outbound: { replyTo: "group-1" } }]);
});

test("messages that the conversation has are accepted: received, sent, quoted now or earlier, and listed ones", async () => {
  const reply = { action: "send", message: "hi" };
  for (const replyTo of ["guests-1", "sent-1"]) expect(await perform({ ...reply, replyTo }, GUEST)).toContain("Queued");
  const quote = { replyTo: { messageId: messageId("older-1"), body: "old", isQuote: false } };
  expect(await perform({ ...reply, replyTo: "older-1" }, { ...GUEST, ...quote })).toContain("Queued");
  expect(await perform({ ...reply, replyTo: "older-1" }, GUEST)).toContain("Queued");
  expect(await perform({ action: "pin", messageId: "listed-1" }, GUEST)).toContain("is not known");
  expect(await perform({ action: "read", before: "guests-1" }, GUEST)).toContain("listed-1");
  expect(await perform({ action: "pin", messageId: "listed-1" }, GUEST)).toContain("{}");
  expect(await perform({ action: "pin", messageId: "listed-1" }, {})).toContain("is not known");
});
