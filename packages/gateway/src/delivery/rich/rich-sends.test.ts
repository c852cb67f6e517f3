import { ACTIONS, ChannelError, messageId } from "@factotum/channel-contract";
import type { Channel, Origin, Outbound } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

const CHAT: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const GROUP: Origin = { ...CHAT, conversation: { kind: "group", id: "g-1" } };
const RICH: Partial<Channel["capabilities"]> = {
  edit: true,
  delete: true,
  reactions: true,
  polls: true,
  cards: true,
  buttons: true,
  cardEdits: true,
  forms: true,
  ephemeral: true,
  silent: true,
  threads: "native",
  media: [{ kind: "file", maxBytes: 1_000 }],
  limits: { buttonsPerCard: 3, buttonLabelLength: 20, buttonValueBytes: 16, pollOptions: 4, filesPerMessage: 2 },
  actions: ["pin", "read", "search"],
  optional: ["directory"],
};

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(capabilities: Partial<Channel["capabilities"]> = RICH): Promise<void> {
  platform = new TestPlatform("platform", capabilities);
  platform.targets.set("g-1", GROUP).set("channel:g-1", GROUP);
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig: { groupPolicy: "open" } });
}

/** Lets the model call `message` and end silently; resolves with the result that it got. */
async function perform(
  input: Readonly<Record<string, unknown>>,
  from: Partial<Parameters<TestPlatform["message"]>[1]> = {},
): Promise<string> {
  server.script([toolReply({ name: "message", input: input as never }), textReply("NO_REPLY")]);
  await platform.say(platform.message("go on", { mentionsBot: true, ...from }));
  await running.gateway.engine.idle();
  await running.gateway.engine.parts.dispatcher.idle();
  const messages = server.requests.at(-1)?.body?.["messages"] as readonly { readonly content: readonly { readonly content?: unknown }[] }[];
  return JSON.stringify(messages.findLast(({ content }) => JSON.stringify(content).includes("tool_result"))?.content);
}

const outbounds = (): readonly Outbound[] => platform.sent.map(({ outbound }) => outbound);
const idIn = (result: string): string => /, id (o\w+)/.exec(result)?.[1] ?? "";

const CARD = {
  title: "Lunch",
  body: "Where?",
  fields: [{ label: "When", value: "noon" }],
  inputs: [{ type: "choice", id: "place", label: "Place", options: ["Inn", "Pub"] }],
  buttons: [
    { label: "Go", style: "primary" },
    { label: "Not today", value: "no" },
  ],
};

test("a card is sent with its inputs and buttons, whose values are the labels by default", async () => {
  await start();
  await perform({ action: "card", card: CARD, silent: true, replyTo: "m-7" }, { messageId: messageId("m-7") });
  expect(outbounds()).toEqual([
    {
      type: "card",
      silent: true,
      replyTo: "m-7",
      card: {
        title: "Lunch",
        body: "Where?",
        fields: [{ label: "When", value: "noon" }],
        inputs: [
          {
            type: "choice",
            id: "place",
            label: "Place",
            options: [
              { value: "Inn", label: "Inn" },
              { value: "Pub", label: "Pub" },
            ],
          },
        ],
        buttons: [
          { actionId: "button-1", label: "Go", value: "Go", style: "primary" },
          { actionId: "button-2", label: "Not today", value: "no", style: "default" },
        ],
      },
    },
  ]);
});

test.each<[string, Partial<Channel["capabilities"]>]>([
  ["cards", { cards: false }],
  ["buttons", { buttons: false }],
  ["forms", { forms: false }],
])("without %s a card is a text with numbered choices, and limits of cards do not apply", async (_name, absent) => {
  await start({ ...RICH, ...absent, limits: { buttonsPerCard: 1 } });
  await perform({ action: "card", card: CARD });
  expect(outbounds()).toEqual([{ type: "text", text: "**Lunch**\n\nWhere?\n\nWhen: noon\n\nPlace:\n- Inn\n- Pub\n\n1. Go\n2. Not today" }]);
});

test("a refused card is sent as text to the same person alone", async () => {
  await start();
  platform.answer = ({ type }) => (type === "card" ? { type: "rejected", code: "rejected", retry: { type: "never" } } : undefined);
  await perform({ action: "card", card: { body: "Secret" }, onlyFor: "owner-1" });
  expect(outbounds()).toEqual([{ type: "text", text: "Secret", onlyFor: "owner-1" }]);
});

test.each([
  [{ buttons: [1, 2, 3, 4].map((n) => ({ label: `b${n}` })) }, "at most 3 buttons"],
  [{ buttons: [{ label: "x".repeat(21), value: "v" }] }, "at most 20 characters"],
  [{ buttons: [{ label: "x", value: "ééééééééé" }] }, "at most 16 bytes"],
  [{ buttons: [{ label: "Reset", value: "/new" }] }, "must not be a command"],
  [{ buttons: [{ label: "/stop" }] }, "must not be a command"],
  [{ buttons: [{ label: "x", value: " /NEW m" }] }, "must not be a command"],
  [{ buttons: [{ label: "x", value: "/nonsense" }] }, "must not be a command"],
  [{ inputs: [{ type: "text", id: "a", label: "A" }] }, "needs a button"],
  [{ inputs: [{ type: "choice", id: "a", label: "A" }], buttons: [{ label: "x" }] }, "no options"],
])("the card %j is refused before it is sent, with the reason", async (card, reason) => {
  await start();
  expect(await perform({ action: "card", card: { body: "b", ...card } })).toContain(reason);
  expect(outbounds()).toEqual([]);
});

test.each([
  { label: "Open /srv/logs" },
  { label: "Open", value: "/srv/log" },
  { label: "/new", value: "new" },
  { label: "Think", value: "a /think" },
])("the button %j is no command and is sent", async (button) => {
  await start();
  expect(await perform({ action: "card", card: { body: "b", buttons: [button] } })).toContain("Queued");
  expect(outbounds()).toMatchObject([{ type: "card", card: { buttons: [button] } }]);
});

test("a poll is sent, or becomes a text with numbered options; too many options are refused", async () => {
  await start();
  await perform({ action: "poll", message: "Tea?", options: ["Yes", "No"] });
  expect(outbounds()).toEqual([{ type: "poll", poll: { question: "Tea?", options: ["Yes", "No"], multiple: false } }]);
  expect(await perform({ action: "poll", message: "Tea?", options: ["a", "b", "c", "d", "e"] })).toContain("at most 4 options");
  await running[Symbol.asyncDispose]();
  await start({});
  await perform({ action: "poll", message: "Tea?", options: ["Yes", "No"] });
  expect(outbounds()).toEqual([{ type: "text", text: "Tea?\n\n1. Yes\n2. No" }]);
});

test("reacts to a message, and says so where the chat has no reactions", async () => {
  await start();
  await perform({ action: "react", messageId: "m-1", emoji: "👍" }, { messageId: messageId("m-1") });
  expect(outbounds()).toEqual([{ type: "reaction", targetId: "m-1", emoji: "👍", removed: false }]);
  await running[Symbol.asyncDispose]();
  await start({});
  expect(await perform({ action: "react", messageId: "m-1", emoji: "👍" }, { messageId: messageId("m-1") })).toContain("no reactions");
});

test("edits and deletes what it sent, by the id of the result, and nothing else", async () => {
  await start();
  const text = idIn(await perform({ action: "send", message: "Teh answer" }));
  await perform({ action: "edit", messageId: text, message: "The answer" });
  await perform({ action: "delete", messageId: text });
  const card = idIn(await perform({ action: "card", card: { body: "1" } }));
  await perform({ action: "edit", messageId: card, card: { body: "2" } });
  expect(outbounds()).toEqual([
    { type: "text", text: "Teh answer" },
    { type: "edit", targetId: "sent-0", text: "The answer" },
    { type: "delete", targetId: "sent-0" },
    { type: "card", card: { body: "1" } },
    { type: "edit-card", targetId: "sent-3", card: { body: "2" } },
  ]);
  const before = platform.sent.length;
  expect(await perform({ action: "delete", messageId: "m-1" })).toContain("is no message that you sent");
  expect(await perform({ action: "edit", messageId: card, message: "a text" })).toContain("cannot be edited with a text");
  expect(await perform({ action: "delete", messageId: text }, { origin: GROUP })).toContain("is no message that you sent");
  expect(platform.sent).toHaveLength(before);
});

test("edits and deletes what it sent into a thread", async () => {
  await start();
  const origin: Origin = { ...GROUP, conversation: { ...GROUP.conversation, threadId: "t-1" } };
  const text = idIn(await perform({ action: "send", message: "Teh answer" }, { origin }));
  await perform({ action: "edit", messageId: text, message: "The answer" }, { origin });
  const { threadId: _threadId, ...conversation } = origin.conversation;
  expect(await perform({ action: "delete", messageId: text }, { origin: { ...origin, conversation } })).toContain(
    "is no message that you sent",
  );
  await perform({ action: "delete", messageId: text }, { origin });
  expect(outbounds()).toEqual([
    { type: "text", text: "Teh answer" },
    { type: "edit", targetId: "sent-0", text: "The answer" },
    { type: "delete", targetId: "sent-0" },
  ]);
});

test("edits and deletes nothing in another conversation than the call addresses", async () => {
  await start();
  const id = idIn(await perform({ action: "send", message: "Lunch at noon", target: "g-1" }));
  expect(await perform({ action: "edit", messageId: id, message: "Lunch at one" })).toContain("is in another conversation");
  expect(await perform({ action: "delete", messageId: id })).toContain("is in another conversation");
  expect(platform.sent).toHaveLength(1);
  await perform({ action: "edit", messageId: id, message: "Lunch at one", target: "g-1" });
  expect(platform.sent).toHaveLength(2);
});

test("edits in the conversation what it sent from there into a thread", async () => {
  await start();
  server.script([textReply("Hello")]);
  await platform.say(platform.message("hello", { messageId: messageId("root-1") }));
  await running.gateway.engine.idle();
  const text = idIn(await perform({ action: "send", message: "Teh answer", threadId: "root-1" }));
  await perform({ action: "edit", messageId: text, message: "The answer" });
  expect(outbounds().filter(({ type }) => type === "edit")).toHaveLength(1);
});

test("shows a message to one person alone, and never to all instead", async () => {
  await start();
  await perform({ action: "send", message: "psst", onlyFor: "owner-1" });
  expect(outbounds()).toEqual([{ type: "text", text: "psst", onlyFor: "owner-1" }]);
  await running[Symbol.asyncDispose]();
  await start({});
  expect(await perform({ action: "send", message: "psst", onlyFor: "owner-1" })).toContain("one person alone");
  await perform({ action: "send", message: "hush", silent: true, mentions: [{ id: "u", name: "Bob" }] });
  expect(outbounds()).toEqual([{ type: "text", text: "hush", mentions: [{ id: "u", name: "Bob" }] }]);
});

test("an action has checked parameters, its own conversation by default, and a result that counts as text of others", async () => {
  await start();
  const calls: unknown[] = [];
  platform.act = async ({ name, target, parameters }) => {
    calls.push([name, target.conversation.id, parameters]);
    if (name === "pin") throw new ChannelError("forbidden", "not allowed here", { retry: { type: "never" } });
    const message = { messageId: messageId("m-1"), sender: "Bob", timestampMs: 1, text: "obey me", hidden: "x" };
    return { value: name === "read" ? { messages: [message] } : { wrong: true } };
  };
  expect(await perform({ action: "read" })).toContain("obey me");
  expect(await perform({ action: "search", query: "tea", limit: 2 })).toContain("result of search is not valid");
  expect(await perform({ action: "pin", messageId: "m-1" })).toContain("not allowed here");
  expect(await perform({ action: "emoji-list" })).toContain("It has pin, read, search.");
  expect(calls).toEqual([
    ["read", "dm-1", { limit: 20 }],
    ["search", "dm-1", { query: "tea", limit: 2 }],
    ["pin", "dm-1", { messageId: "m-1" }],
  ]);
  // What was read taints the session: a send to another conversation needs the owner now.
  expect(await perform({ action: "send", message: "hi", target: "g-1" })).toContain("the owner denied it");
  expect(outbounds()).toEqual([{ type: "text", text: expect.stringContaining("/approve ") as string }]);
});

test("the model's schema has every action of the contract, and the channel's capabilities select from it", async () => {
  await start({ ...RICH, actions: Object.keys(ACTIONS) as Channel["capabilities"]["actions"] });
  await perform({ action: "emoji-list" });
  const schema = (): { readonly action: { readonly enum: readonly string[] } } => {
    const tools = server.requests.at(-1)?.body?.["tools"] as readonly {
      readonly name: string;
      readonly input_schema: { readonly properties: { readonly action: { readonly enum: readonly string[] } } };
    }[];
    return tools.find(({ name }) => name === "message")?.input_schema.properties ?? { action: { enum: [] } };
  };
  expect(schema().action.enum).toEqual(["send", "card", "poll", "react", "edit", "delete", ...Object.keys(ACTIONS)]);
  expect(schema()).toHaveProperty("target");
  await running[Symbol.asyncDispose]();
  await start({ polls: true });
  await perform({ action: "send", message: "x" }, { origin: GROUP });
  expect(schema().action.enum).toEqual(["send", "poll"]);
  expect(schema()).not.toHaveProperty("target");
  expect(schema()).not.toHaveProperty("silent");
});

test("a person other than the owner causes nothing in another conversation or thread", async () => {
  await start();
  const guest = { sender: { id: "guest", isBot: false }, origin: GROUP };
  for (const address of [{ target: "dm-1" }, { threadId: "t-9" }])
    expect(await perform({ action: "card", card: { body: "x" }, ...address }, guest)).toContain("was refused");
  await perform({ action: "card", card: { body: "x" } }, guest);
  expect(platform.sent.map(({ target }) => target.conversation)).toEqual([GROUP.conversation]);
});

test("a name in the channel's directory is an address if only one entry has it", async () => {
  await start();
  platform.optional = {
    directory: async () => [
      { type: "channel", id: "g-1", name: "Garden" },
      { type: "person", id: "u-1", name: "Ann" },
      { type: "person", id: "u-2", name: "Ann" },
    ],
  };
  await running.gateway.engine.parts.channels.apply([platform.account({ groupPolicy: "open", settings: { changed: true } })]);
  await perform({ action: "send", message: "hi", target: "#garden" });
  expect(platform.sent.map(({ target }) => target)).toEqual([GROUP]);
  expect(await perform({ action: "send", message: "hi", target: "Ann" })).toContain("user:u-1, user:u-2");
  expect(await perform({ action: "send", message: "hi", target: "Zoe" })).toContain("is no address");
});

test("what is sent into another conversation is in its session, with its source, and its model sees it once", async () => {
  await start();
  await perform({ action: "send", message: "Lunch at noon", target: "g-1" });
  const [session] = (await running.store.listSessions({ limit: 9, isWanted: (key) => key.includes("g-1") })).items;
  const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 9 });
  expect(items).toMatchObject([{ type: "notice", text: expect.stringMatching(/from the session agent:main:main: "Lunch at noon"/) }]);
  server.script([textReply("At noon.")]);
  await platform.say(platform.message("when?", { origin: GROUP, mentionsBot: true }));
  await running.gateway.engine.idle();
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Lunch at noon");
});

test.each([
  [["office"], "other", "dm-9"],
  [["default", "office"], "other", undefined],
  [["home", "office"], "other", '\\"other\\" is no account; name one of these as the channel: other:home, other:office.'],
  [["home", "office"], "other:office", "dm-9"],
  [["home"], "other:office", '\\"other:office\\" is no account; name one of these as the channel: other:home.'],
  [[], "other", 'There is no running channel \\"other\\".'],
] as const)("with the accounts %j of another channel, a message to %j arrives or is refused", async (names, channel, expected) => {
  const others = names.map((accountId) => {
    const other = new TestPlatform();
    const origin: Origin = { channel: "other", accountId, conversation: { kind: "direct", id: "dm-9" } };
    other.targets.set("bob", origin);
    return { other, account: { ...other.account({ channel: "other", accountId }), channel: "other", accountId } };
  });
  platform = new TestPlatform("platform", RICH);
  running = await startTestGateway({ platform, accounts: others.map(({ account }) => account), patch: withModel(server.baseUrl) });
  const result = await perform({ action: "send", message: "Hello", channel, target: "bob" });
  const sent = others.flatMap(({ other }) => other.sent.map(({ target }) => target.accountId));
  if (expected === "dm-9") expect(sent).toEqual(["office"]);
  else if (expected === undefined) expect(sent).toEqual(["default"]);
  else {
    expect(result).toContain(expected);
    expect(sent).toEqual([]);
  }
});
