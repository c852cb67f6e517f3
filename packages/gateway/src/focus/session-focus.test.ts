import type { FactotumConfig } from "@factotum/config";
import { ChannelError } from "@factotum/channel-contract";
import type { Origin, Sender } from "@factotum/channel-contract";
import { textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPlatform } from "../../test/gateway-harness.ts";
import { createMovableClock } from "../../test/movable-clock.ts";
import { SubagentScene } from "../../test/subagent-scene.ts";
import { sessionOrigin } from "../routing/session-origin.ts";

const at = (conversation: Origin["conversation"]): Origin => ({ channel: "test", accountId: "default", conversation });
const DM = at({ kind: "direct", id: "dm-1" });
const GROUP = at({ kind: "group", id: "g1" });
const THREAD = at({ kind: "group", id: "g1", threadId: "t1" });
const GUEST: Sender = { id: "guest-1", name: "Gus", isBot: false };
const OPEN_GROUP = { groupPolicy: "open", groups: { "*": { requireMention: false } } } as const;

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open(new TestPlatform("platform", { threads: "native", actions: ["thread-create"] }));
  scene.platform.act = async () => ({ type: "done", value: { threadId: "t1" } });
  let runs = 0;
  scene.answerWith({
    "": ({ text }) => {
      const asked = text.slice(text.lastIndexOf('"role":"user"'));
      if (asked.includes("has ended a run")) return textReply("It has answered.");
      if (asked.includes("Keep watch.")) return open("keeper");
      if (asked.includes("Watch aside.")) return open("aside");
      return textReply(asked.includes("tool_result") ? "I have asked." : "Main here.");
    },
    keeper: ({ text }) => (text.includes("Run it.") && !text.includes("tool_result") ? exec : textReply(`keeper ${(runs += 1)}`)),
    aside: () => textReply("aside"),
  });
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const open = (label: string): AnthropicReply => toolReply({ name: "sessions_spawn", input: { task: label, label, mode: "session" } });
const both = toolReply(...["keeper", "aside"].map((label) => ({ name: "sessions_spawn", input: { task: label, label, mode: "session" } })));
const exec = toolReply({ name: "exec", input: { command: "id" } });

/** The texts of one chat. */
const textsOf = ({ conversation }: Origin): readonly string[] =>
  scene.platform.sent.flatMap(({ target, outbound }) =>
    target.conversation.id === conversation.id && target.conversation.threadId === conversation.threadId && outbound.type === "text"
      ? [outbound.text]
      : [],
  );

/** Says something, and resolves with what is said there then. */
async function say(text: string, origin: Origin, sender?: Sender): Promise<readonly string[]> {
  const before = textsOf(origin).length;
  await scene.say(text, { origin, ...(sender === undefined ? {} : { sender }) });
  return textsOf(origin).slice(before);
}

test("a focused chat speaks with the sub-agent, through a restart, until it is released", async () => {
  await scene.start();
  expect(await say("/focus", DM)).toEqual([expect.stringContaining("not focused")]);
  await say("Keep watch.", DM);
  expect(await say("/focus 1", DM)).toEqual([
    'What is said here goes to the sub-agent "keeper" now. /unfocus ends that, and so do 24 hours without a message.',
  ]);
  expect(await say("And now?", DM)).toEqual(["keeper 2"]);
  const [row] = await scene.rows();
  expect(row).toMatchObject({ state: "idle", reports: 1 });
  const [asked = ""] = scene.bodies("And now?");
  expect(asked).toContain("### Subagent Context");
  expect(asked).toContain("keeper 1");
  expect(asked).not.toContain('"name":"sessions_spawn"');
  expect(await say("/status", DM)).toEqual([expect.stringContaining('What is said here goes to the sub-agent "keeper".')]);
  expect((await say("/subagents", DM))[0]).toMatch(/^1\. keeper: idle, .*, focused here\nWhat is said here/);
  await scene.running.stop();
  await scene.start(undefined, { home: scene.running.home });
  expect(await say("Still there?", DM)).toEqual(["keeper 3"]);
  expect(await say("/unfocus", DM)).toEqual([expect.stringContaining("own session again")]);
  expect(await say("/unfocus", DM)).toEqual(["This conversation is not focused."]);
  expect(await say("And you?", DM)).toEqual(["Main here."]);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1 }]);
});

test("a sub-agent of a group gets a thread: its answers are shown there, and messages there are answered there, with the rights of their senders", async () => {
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1", "guest-1"], ...OPEN_GROUP } });
  await say("Keep watch.", GROUP);
  expect(textsOf(GROUP)).toEqual(["I have asked.", "It has answered."]);
  expect(textsOf(THREAD).join("\n")).toContain('What is said in this thread goes to the sub-agent "keeper".');
  expect(textsOf(THREAD).join("\n")).toContain("keeper 1");
  expect(await say("More?", THREAD)).toEqual(["keeper 2"]);
  expect(await say("Run it.", THREAD, GUEST)).toEqual(["keeper 3"]);
  const guests = (await scene.running.store.listRecentInputs(50)).filter(({ message }) => message.sender.id === "guest-1");
  expect(guests).toMatchObject([{ admission: { owner: false, focus: { sessionKey: "agent:main:test:group:g1:topic:t1" } } }]);
  const turn = await scene.running.store.readTurn(guests[0]?.turnId ?? "");
  expect(turn).toMatchObject({ owner: false, kind: "user", sessionKey: (await scene.rows())[0]?.childKey });
  expect(await say("/unfocus", THREAD, GUEST)).toEqual([expect.stringContaining("Only my owner can do that here")]);
  expect(await say("/subagents steer 1 Once more.", GROUP)).toEqual(expect.arrayContaining(["Told.", "It has answered."]));
  expect(textsOf(THREAD).at(-1)).toBe("keeper 4");
  expect(await say("/subagents", THREAD)).toEqual([expect.stringMatching(/^1\. keeper: idle, .*, focused here\n/)]);
  // The same sub-agent as in that list.
  expect(await say("/acp steer 1 And again.", THREAD)).toEqual(expect.arrayContaining(["Told.", "keeper 5"]));
  expect(await say("/acp cancel 1", THREAD)).toEqual(expect.arrayContaining(["Ended 1 sub-agent."]));
  expect(textsOf(THREAD).find((text) => text.includes("has ended"))).toBe(
    'The sub-agent "keeper" has ended (killed). What is said here goes to this conversation\'s own session again.',
  );
  expect(await say("Anyone?", THREAD)).toEqual(["Main here."]);
  expect(await scene.running.store.listFocuses()).toEqual([]);
  expect(await say("/focus 1", GROUP)).toEqual(["It has ended. /subagents lists those that are open."]);
});

test("a group reaches no private session, no sub-agent of one and no other agent's, and people reach what they reach anyway", async () => {
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1", "guest-1"], ...OPEN_GROUP } });
  await say("Keep watch.", DM);
  await say("Watch aside.", GROUP);
  const [kept, aside] = await scene.rows();
  for (const named of ["agent:main:main", "keeper", kept?.childKey ?? "", "agent:other:main", "nothing"])
    expect(await say(`/focus ${named}`, GROUP)).toEqual([expect.stringContaining("There is no such session within reach")]);
  expect(await say("/focus agent:other:main", DM)).toEqual([expect.stringContaining("There is no such session within reach")]);
  // Two chats speak with one sub-agent, each answered where it spoke.
  expect(await say("/focus aside", GROUP)).toEqual([expect.stringContaining("now. /unfocus")]);
  expect(await say(`/focus ${aside?.childKey ?? ""}`, DM)).toEqual([expect.stringMatching(/"aside" now\. Others speak with it, too/)]);
  expect(await say("One.", GROUP)).toEqual(["aside"]);
  expect(await say("Two.", DM)).toEqual(["aside"]);
  expect((await scene.running.store.readSession(aside?.childKey ?? ""))?.isPrivate).toBe(false);
  // A guest's own sub-agent is the guest's to speak with, and nothing else.
  const guests = at({ kind: "direct", id: "dm-3" });
  await say("Keep watch.", guests, GUEST);
  expect(await say("/focus agent:main:main", guests, GUEST)).toEqual([expect.stringContaining("There is no such session within reach")]);
  expect(await say("/focus aside", guests, GUEST)).toEqual([expect.stringContaining("There is no such session within reach")]);
  expect(await say("/focus 1", guests, GUEST)).toEqual([expect.stringContaining('"keeper" now')]);
  expect(await say("Mine?", guests, GUEST)).toEqual([expect.stringMatching(/^keeper \d$/)]);
  // Another session of the agent: the owner's messages go there, a guest's stay.
  const elsewhere = at({ kind: "group", id: "g2" });
  await say("Hello.", elsewhere);
  expect(await say("/focus agent:main:test:group:g2", GROUP)).toEqual([expect.stringContaining("Only your messages do")]);
  await say("From the owner.", GROUP);
  await say("From a guest.", GROUP, GUEST);
  expect(scene.bodies("From the owner.")[0]).toContain("Hello.");
  expect(scene.bodies("From a guest.")[0]).not.toContain("Hello.");
  // Another sender of the same direct address has neither the owner's focus nor changes it.
  expect(await say("Mine?", DM, GUEST)).toEqual(["Main here."]);
  expect(await say("/focus 1", DM, GUEST)).toEqual([expect.stringContaining('"keeper" now')]);
  expect(await say("Still?", DM)).toEqual(["aside"]);
});

test("a focus ends after its idle limit, and the message that finds that goes to the conversation's own session", async () => {
  const clock = createMovableClock();
  await scene.start(undefined, { clock });
  await say("Keep watch.", DM);
  await say("/focus keeper", DM);
  clock.advance(20 * 3_600_000);
  expect(await say("One.", DM)).toEqual(["keeper 2"]);
  clock.advance(20 * 3_600_000);
  expect(await say("Two.", DM)).toEqual(["keeper 3"]);
  clock.advance(25 * 3_600_000);
  await scene.running.gateway.engine.idle();
  await expect.poll(async () => (await scene.rows())[0]?.state).toBe("done");
  await scene.running.gateway.engine.idle();
  expect(textsOf(DM).at(-1)).toContain('The sub-agent "keeper" has ended (done).');
  expect(await say("Three.", DM)).toEqual(["Main here."]);
  await say("Hello.", GROUP);
  clock.advance(3_600_000);
  await say("Watch aside.", DM);
  await say("/focus aside", DM);
  clock.advance(23 * 3_600_000);
  // Said elsewhere, it keeps the sub-agent open, and not the focus.
  await say("/subagents steer aside More.", at({ kind: "direct", id: "dm-2" }));
  clock.advance(2 * 3_600_000);
  expect(await say("Four.", DM)).toEqual([
    expect.stringContaining('The focus on the sub-agent "aside" ended after 24 hours without a message.'),
    "Main here.",
  ]);
});

test("a client that names its session opens that of the sub-agent, whose bounds apply to what is written there", async () => {
  await scene.start();
  await say("Keep watch.", DM);
  const { engine } = scene.running.gateway;
  const key = (await scene.rows())[0]?.childKey ?? "";
  const write = async (text: string, sessionKey: string): Promise<void> => {
    await engine.submit(scene.platform.message(text, { origin: sessionOrigin(sessionKey) }), { owner: true, kind: "user", sessionKey });
    await engine.idle();
  };
  await write("/focus 1", "agent:main:main");
  const { entries } = await engine.sessions.history("agent:main:main", { limit: 5 });
  expect(JSON.stringify(entries)).toContain(`Open the session ${key} here`);
  await write("From the page.", key);
  const [said] = (await scene.running.store.listRecentInputs(50)).filter(({ message }) => message.text === "From the page.");
  expect(said?.admission).toMatchObject({ subagent: { depth: 1 }, tree: {}, job: { timeoutMs: 3_600_000 } });
  expect(scene.bodies("From the page.")[0]).toContain("keeper 1");
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1 }]);
});

test("a thread that begins with a message is the first sub-agent's alone; the next one gets another, or none", async () => {
  const asked: { readonly name?: unknown }[] = [];
  scene.platform.act = async ({ parameters }) => {
    asked.push(parameters);
    if (parameters["messageId"] === undefined) throw new ChannelError("rejected", "name a message", { retry: { type: "never" } });
    return { type: "done", value: { threadId: "t1" } };
  };
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1"], ...OPEN_GROUP } });
  scene.answerWith({
    "": ({ text }) => (text.includes("tool_result") || text.includes("ended a run") ? textReply("Told.") : both),
    keeper: () => textReply("keeper"),
    aside: () => textReply("aside"),
  });
  await say("Both.", GROUP);
  // Either of them may begin first.
  const [first, second] = asked[0]?.name === "keeper" ? ["keeper", "aside"] : ["aside", "keeper"];
  expect(asked).toEqual([{ name: first, messageId: "message-1" }, { name: second, messageId: "message-1" }, { name: second }]);
  const child = (await scene.rows()).find(({ label }) => label === first)?.childKey;
  expect(await scene.running.store.listFocuses()).toMatchObject([{ isOwnThread: true, sessionKey: child }]);
  expect(textsOf(THREAD)).toEqual([`What is said in this thread goes to the sub-agent "${first}".`, first]);
});

test("threads, the idle limit and the age of a focus are settings", async () => {
  const clock = createMovableClock();
  const threadBindings = { idleHours: 0, maxAgeHours: 2, spawnSessions: false };
  const patch = (config: FactotumConfig): FactotumConfig => ({ ...config, session: { ...config.session, threadBindings } });
  await scene.start(undefined, { clock, patch, accountConfig: { allowFrom: ["owner-1"], ...OPEN_GROUP } });
  await say("Keep watch.", GROUP);
  expect(textsOf(THREAD)).toEqual([]);
  expect(await say("/focus keeper", GROUP)).toEqual([expect.stringMatching(/\/unfocus ends that\.$/)]);
  clock.advance(3_600_000);
  expect(await say("One.", GROUP)).toEqual(["keeper 2"]);
  clock.advance(3_600_000);
  expect(await say("Two.", GROUP)).toEqual([expect.stringContaining("ended after 2 hours."), "Main here."]);
  clock.advance(1_000 * 3_600_000);
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toMatchObject([{ state: "idle" }]);
});

test("a sub-agent of a conversation that several agents answer gets no thread, in which all of them would answer", async () => {
  const broadcast = { strategy: "parallel", peers: { "test:g1": ["main"] } } as const;
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1"], ...OPEN_GROUP }, patch: (config) => ({ ...config, broadcast }) });
  await say("Keep watch.", GROUP);
  expect(await scene.rows()).toMatchObject([{ state: "idle" }]);
  expect(textsOf(THREAD)).toEqual([]);
});

test("where replies are held back, a focus does not bring them", async () => {
  const rules = [{ action: "deny", match: { keyPrefix: "agent:main:test:group:g1" } }] as const;
  const held = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    session: { ...config.session, sendPolicy: { rules, default: "allow" } },
  });
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1"], ...OPEN_GROUP }, patch: held });
  await say("Keep watch.", GROUP);
  expect(textsOf(GROUP)).toEqual([]);
  expect(await say("/focus keeper", GROUP)).toEqual([expect.stringContaining("Replies are held back here")]);
  await say("More?", THREAD);
  await say("/subagents steer keeper More.", GROUP);
  expect(textsOf(THREAD).filter((text) => text.startsWith("keeper"))).toEqual([]);
});

test("/stop and /new in a focused chat are about the sub-agent, which stays open; without a thread of its own it works all the same", async () => {
  scene.platform.act = async () => {
    throw new Error("a group without topics");
  };
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1"], ...OPEN_GROUP } });
  await say("Keep watch.", GROUP);
  expect(textsOf(THREAD)).toEqual([]);
  await say("/focus keeper", THREAD);
  expect(await say("/stop", THREAD)).toEqual(["There was nothing to stop."]);
  expect(await say("/new", THREAD)).toEqual(["This is a new conversation."]);
  expect(await say("And now?", THREAD)).toEqual(["keeper 2"]);
  expect(scene.bodies("And now?")[0]).not.toContain("keeper 1");
  expect((await scene.running.store.readSession((await scene.rows())[0]?.childKey ?? ""))?.isPrivate).toBe(false);
  expect(await say("Here?", GROUP)).toEqual(["Main here."]);
  expect(await say("/stop", GROUP)).toEqual(["Ended 1 sub-agent."]);
  expect(textsOf(THREAD).at(-1)).toContain("has ended (killed)");
});

test("a message that comes together with the command before it goes where the conversation goes after the command", async () => {
  await scene.start();
  await say("Keep watch.", DM);
  const before = textsOf(DM).length;
  const { platform } = scene;
  // In one batch, one after the other, and all at the same time.
  for (const text of ["/focus 1", "One?", "/unfocus", "Two?"]) await platform.say(platform.message(text));
  await scene.running.gateway.engine.idle();
  await Promise.all(["/focus 1", "Three?", "/unfocus", "Four?", "/focus"].map((text) => platform.say(platform.message(text))));
  await scene.running.gateway.engine.idle();
  for (const [text, isFocused] of [
    ["One?", true],
    ["Two?", false],
    ["Three?", true],
    ["Four?", false],
  ] as const)
    expect([text, scene.bodies(text)[0]?.includes("### Subagent Context")]).toEqual([text, isFocused]);
  expect(
    textsOf(DM)
      .slice(before)
      .filter((text) => text.startsWith("keeper")),
  ).toHaveLength(2);
  // A command that changes nothing, or is not carried out, holds up nothing.
  await platform.say(platform.message("/focus nothing"));
  expect(await say("Five?", DM)).toEqual([expect.stringContaining("no such session"), "Main here."]);
});
