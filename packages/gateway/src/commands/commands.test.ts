import { readFile } from "node:fs/promises";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { COMMANDS } from "./command-table.ts";
import { RESETS } from "./reset.ts";

const SESSION = "agent:main:main";
const GUEST = { sender: { id: "guest-1", name: "Gus", isBot: false } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let patch: (config: FactotumConfig) => FactotumConfig;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(({ index }) => textReply(`Answer ${index}.`));
  platform = new TestPlatform();
  patch = withModel(server.baseUrl);
  running = await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const start = (home?: string): Promise<TestGateway> =>
  startTestGateway({
    platform,
    accountConfig: { allowFrom: ["guest-1"], groups: { "group-1": { requireMention: true }, "group-2": { requireMention: false } } },
    patch: (config) => patch(config),
    ...withoutUndefined({ home }),
  });

async function restart(): Promise<void> {
  const { home } = running;
  await running.stop();
  running = await start(home);
}

/** Sends a message and returns everything that was sent since. */
async function say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

const group = (id: string, mentionsBot = false) => ({
  origin: { channel: "test", accountId: "default", conversation: { kind: "group" as const, id } },
  mentionsBot,
});

/** The answer of each command in an empty session; every listed command has one here. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  "/new": /^This is a new conversation\.$/,
  "/reset": /^This is a new conversation\.$/,
  "/stop": /nothing to stop/,
  "/compact": /nothing to summarise/,
  "/model": /^model anthropic/,
  "/think": /^thinking is left/,
  "/reasoning": /^thoughts are hidden/,
  "/queue": /^queue steer/,
  "/tts": /^answers are not spoken/,
  "/verbose": /^tool calls are not shown/,
  "/activation": /for groups/,
  "/send": /^replies are sent here, as configured/,
  "/mode": /^mode ask, /,
  "/elevated": /^your commands run on the host here anyway/,
  "/trust": /^From the next message on, what others wrote/,
  "/approve": /^No tool call waits/,
  "/answer": /takes the id of a question/,
  "/undo": /nothing to undo/,
  "/subagents": /has no sub-agents/,
  "/focus": /is not focused/,
  "/unfocus": /is not focused/,
  "/acp": /^\/acp spawn <agent>: /,
  "/skill": /takes the name/,
  "/status": /^Agent main/,
  "/context": /./,
  "/heartbeat": /has no heartbeat/,
  "/usage": /used nothing yet/,
  "/whoami": /^You are the owner/,
  "/help": /^\/new:/,
};

const LISTED = [
  ...RESETS.map((reset) => ({ ...reset, ownerOnly: false })),
  ...COMMANDS.map(({ name, summary, access }) => ({ name, summary, ownerOnly: access === "owner" })),
];

test("every designed command whose feature is built is listed, and no other", () => {
  expect(LISTED.map(({ name }) => name).toSorted()).toEqual(Object.keys(ANSWERS).toSorted());
});

test("the table of docs/cli.md has every command and no other, with the owner's marked", async () => {
  const page = await readFile(new URL("../../../../docs/cli.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("\n## Commands in a chat\n");
  const rows = section
    .split("\n## ", 1)
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("| `/"));
  const documented = new Map<string, boolean>();
  for (const row of rows)
    for (const [, name = ""] of (row.split(/(?<!\\)\|/)[1] ?? "").matchAll(/`(\/[a-z]+)/g))
      documented.set(name, row.endsWith("The owner's |"));
  const listed = LISTED.map(({ name, ownerOnly }) => [name, ownerOnly] as const);
  expect(documented).toEqual(new Map(listed));
});

test.each(LISTED)("$name works, and is in /help for everyone who may use it", async ({ name, summary, ownerOnly }) => {
  expect(await say(name)).toMatchObject([expect.stringMatching(ANSWERS[name] ?? /^$/)]);
  expect(server.requests).toHaveLength(0);
  const line = `${name}: ${summary}`;
  expect((await say("/help"))[0]?.split("\n")).toContain(line);
  const requests = server.requests.length;
  expect((await say("/help", GUEST))[0]?.split("\n").includes(line)).toBe(!ownerOnly);
  expect(await say(name, GUEST)).toHaveLength(ownerOnly ? 0 : 1);
  if (ownerOnly) {
    const ignored = async (): Promise<string[]> =>
      (await running.store.listInputs({ state: "ignored", limit: 5 })).items.map(({ message }) => message.text);
    await expect.poll(ignored).toEqual([name]);
    expect(server.requests).toHaveLength(requests);
  }
});

describe("/send", () => {
  test("off holds replies back with a confirmation; on and inherit undo it", async () => {
    expect(await say("/send off")).toEqual([
      "From the next message on: replies are held back here, as it was chosen for this conversation.",
    ]);
    expect(await say("one")).toEqual([]);
    expect((await running.store.listInputs({ state: "suppressed", limit: 5 })).items).toHaveLength(1);
    expect((await say("/status"))[0]).toContain("Replies are held back here, as it was chosen for this conversation.");
    await restart();
    expect(await say("two")).toEqual([]);
    await say("/send on");
    expect(await say("three")).toEqual(["Answer 2."]);
    expect((await say("/status"))[0]).not.toContain("held back");
    expect(await say("/send INHERIT")).toEqual(["From the next message on: replies are sent here, as configured."]);
    expect((await running.store.readSession(SESSION))?.overrides).toEqual({});
    expect((await say("/send perhaps"))[0]).toContain('"perhaps" is not understood');
  });

  test("changes nothing for anyone but the owner", async () => {
    await say("one");
    expect(await say("/send off", GUEST)).toEqual([]);
    expect((await running.store.readSession(SESSION))?.overrides).toEqual({});
    expect(await say("two", GUEST)).toEqual(["Answer 1."]);
  });
});

test.each([
  ["the owner's direct chat", {}, true],
  ["a group", group("group-1", true), false],
  ["another person's direct chat", GUEST, false],
] as const)("a session created by a command in %s (%o) has isPrivate %s", async (_place, extra, isPrivate) => {
  await say("/verbose on", extra);
  const { items } = await running.store.listSessions({ limit: 5 });
  expect(items.map((session) => session.isPrivate)).toEqual([isPrivate]);
});

test("/elevated off says that nothing changes where commands run on the host anyway, and /mode takes default", async () => {
  expect(await say("/elevated off")).toEqual(["your commands run on the host here anyway. /elevated changes nothing here."]);
  expect((await say("/mode full"))[0]).toContain("mode full");
  expect(await say("/mode default")).toEqual(["From the next tool call on: mode ask, tool calls run and ask as configured."]);
});

test("/trust alone changes nothing in a group, and says so alone", async () => {
  expect(await say("/trust", group("group-1", true))).toEqual([
    "/trust alone changes nothing in a group: every new message counts as text from others. /trust session trusts those, too.",
  ]);
  expect((await say("/trust session", group("group-1", true)))[0]).toMatch(/^From now on everything/);
});

describe("/activation", () => {
  test("always answers a group that is configured for mentions, over a restart; default undoes it", async () => {
    expect(await say("one", group("group-1"))).toEqual([]);
    expect(await say("/activation", group("group-1", true))).toEqual([
      "I answer when I am mentioned or replied to, as configured. /activation takes mention, always or default.",
    ]);
    expect(await say("/activation always", group("group-1", true))).toEqual([
      "From the next message on: I answer every message here, as it was chosen for this group.",
    ]);
    expect(await say("two", group("group-1"))).toEqual(["Answer 0."]);
    await restart();
    expect(await say("three", group("group-1"))).toEqual(["Answer 1."]);
    expect(await say("/activation default", group("group-1"))).toHaveLength(1);
    expect(await say("four", group("group-1"))).toEqual([]);
    expect(await say("five", group("group-1", true))).toEqual(["Answer 2."]);
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("four");
  });

  test("mention stays quiet if everything is answered, and opens no closed group", async () => {
    expect(await say("one", group("group-2"))).toEqual(["Answer 0."]);
    await say("/activation mention", group("group-2"));
    expect(await say("two", group("group-2"))).toEqual([]);
    expect(await say("three", group("group-2", true))).toEqual(["Answer 1."]);
    expect((await say("/activation sometimes", group("group-2", true)))[0]).toContain("is not understood");
    expect(await say("/activation always", group("group-3", true))).toEqual([]);
  });
});

test("/usage shows the conversation, and to the owner the day", async () => {
  await say("one");
  await say("two");
  const usage = (await running.store.readSession(SESSION))?.usage;
  const [own = ""] = await say("/usage");
  const [first, second, third] = own.split("\n");
  const read = (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
  expect(first).toContain(`2 model calls: ${read.toLocaleString("en-US")} tokens read`);
  expect(first).toMatch(/and [\d,]+ written, \d+\.\d{4} US dollars\.$/);
  expect(second).toBe("Today the agent main has used:");
  expect(third).toMatch(/^- user: 2 model calls, [\d,]+ tokens, \d+\.\d{4} US dollars$/);
  expect((await say("/usage", GUEST))[0]?.split("\n")).toEqual(["This conversation has used nothing yet."]);
  await say("/new");
  expect((await say("/usage"))[0]).toContain(
    "This conversation has used nothing yet.\nToday the agent main has used:\n- user: 2 model calls",
  );
});

describe("/whoami", () => {
  test("shows the ids in the configuration's form, and the sender's role", async () => {
    expect(await say("/whoami")).toEqual([
      [
        "You are the owner.",
        "Sender test:owner-1 (Olga)",
        "Chat direct dm-1, account default",
        `Session ${SESSION}`,
        "Route: agent main, the default: no binding matches",
      ].join("\n"),
    ]);
    expect((await say("/whoami", GUEST))[0]).toMatch(/^You may talk to me here, and are not the owner\.\nSender test:guest-1 \(Gus\)\n/);
    expect((await say("/whoami", group("group-1", true)))[0]).toMatch(
      /Chat group group-1, account default\nSession agent:main:test:group:group-1\nRoute: agent main, the default/,
    );
  });

  test("names the client for a sender who uses one of the gateway's own", async () => {
    await running.stop();
    platform = new TestPlatform("session-key");
    running = await start();
    const key = "agent:main:fresh";
    const origin = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: key } };
    await platform.say(platform.message("/whoami", { origin }));
    await running.gateway.engine.idle();
    const { entries } = await running.gateway.engine.sessions.history(key, { limit: 10 });
    expect(entries).toMatchObject([
      { type: "user", text: "/whoami" },
      { text: `You are the owner.\nYou came in with the gateway's token, through test.\nSession ${key}` },
    ]);
  });
});

test("/skill with an unknown skill is answered at once; inside a message it is text", async () => {
  expect(await say("/skill weather in Kyoto\ntomorrow")).toEqual([expect.stringContaining('There is no skill "weather"')]);
  expect(server.requests).toHaveLength(0);
  await say("a /skill weather inside");
  expect(JSON.stringify(server.requests[0]?.body?.["messages"])).toContain("a /skill weather inside");
  expect(server.violations).toEqual([]);
});
