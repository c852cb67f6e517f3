import type { MsgContext } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { ChatEvent } from "@factotum/protocol";
import { textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import type { TestPlatform } from "../../test/gateway-harness.ts";
import { ReplyScene } from "../../test/reply-scene.ts";
import type { AgentPatch } from "../../test/reply-scene.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";

let scene: ReplyScene;
let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  scene = await ReplyScene.create();
  ({ server, platform } = scene);
});
afterEach(() => scene[Symbol.asyncDispose]());

const start = (agent: AgentPatch = {}, accountConfig: Partial<AccountConfig> = {}, home?: string): Promise<TestGateway> =>
  scene.start({ thinking: "low", ...agent }, accountConfig, home);

/** A thinking block before a call, and one before the answer. */
const LOOKING: AnthropicReply = {
  type: "message",
  content: [
    { type: "thinking", thinking: "I have to look." },
    { type: "tool_use", name: "ls", input: {} },
  ],
};
const ANSWER: AnthropicReply = {
  type: "message",
  content: [
    { type: "thinking", thinking: "There is nothing." },
    { type: "text", text: "It is empty." },
  ],
};

async function ask(running: TestGateway, extra: Partial<MsgContext> = {}): Promise<readonly string[]> {
  server.script([LOOKING, ANSWER]);
  return scene.sentDuring(running, async () => platform.say(platform.message("look", extra)));
}

/** The same for an unattended run. */
async function beat(running: TestGateway): Promise<readonly string[]> {
  server.script([LOOKING, ANSWER]);
  const admission = { owner: true, kind: "heartbeat", sessionKey: SESSION } as const;
  return scene.sentDuring(running, async () => running.gateway.engine.submit(platform.message("Look after it."), admission));
}

describe("tool calls in the chat", () => {
  const DONE = expect.stringMatching(/^`ls` is done/) as string;

  test.each([
    ["off", ["It is empty."], ["It is empty."]],
    ["on", ["`ls`", "It is empty."], ["It is empty."]],
    ["full", ["`ls`", DONE, "It is empty."], ["It is empty."]],
  ] as const)("follow the setting verbose %s", async (verbose, person, nobody) => {
    await using running = await start({ verbose });
    expect(await ask(running)).toEqual(person);
    expect(await beat(running)).toEqual(nobody);
  });
});

describe("thoughts in the chat", () => {
  const FIRST = "_Thoughts_\n\n> I have to look.";
  const SECOND = "_Thoughts_\n\n> There is nothing.";
  const BOTH = "_Thoughts_\n\n> I have to look.\n>\n> There is nothing.";

  test.each([
    ["off", ["It is empty."], ["It is empty."]],
    ["on", [BOTH, "It is empty."], [BOTH, "It is empty."]],
    // Thoughts of an unattended run are shown with its answer or not at all.
    ["stream", [FIRST, SECOND, "It is empty."], [BOTH, "It is empty."]],
  ] as const)("follow the setting reasoning %s", async (reasoning, person, nobody) => {
    await using running = await start({ reasoning });
    expect(await ask(running)).toEqual(person);
    expect(await beat(running)).toEqual(nobody);
  });

  test("are absent if the answer has none", async () => {
    await using running = await start({ reasoning: "on" });
    server.script([textReply("Yes.")]);
    await platform.say(platform.message("look"));
    await running.gateway.engine.idle();
    expect(scene.sentTexts()).toEqual(["Yes."]);
  });

  test("from before a restart are shown with the answer after it", async () => {
    const first = await start({ reasoning: "on" });
    const reached = server.nextRequest().then(async () => server.nextRequest());
    server.respond(({ index }) => (index === 0 ? LOOKING : new Promise<never>(() => undefined)));
    await platform.say(platform.message("look"));
    await reached;
    await first.stop();
    server.respond(() => ANSWER);
    await using second = await start({ reasoning: "on" }, {}, first.home);
    await second.gateway.engine.idle();
    expect(scene.sentTexts()).toEqual([BOTH, "It is empty."]);
  });
});

describe("events of a run for clients", () => {
  /** The events of a session until its run ends; consecutive text deltas are joined. */
  async function watch(running: TestGateway, act: () => Promise<void>): Promise<readonly ChatEvent[]> {
    const events: ChatEvent[] = [];
    using _watch = running.gateway.engine.parts.events.subscribe(SESSION, (event) => void events.push(event));
    await act();
    await running.gateway.engine.idle();
    return events;
  }

  /** Event types, with consecutive duplicates removed. */
  function orderOf(events: readonly ChatEvent[]): readonly string[] {
    const types = events.map(({ type }) => type).filter((type) => type !== "queue-change");
    return types.filter((type, index) => type !== types[index - 1]);
  }
  const ANSWERED = ["block-start", "block-delta", "block-start", "block-delta", "entry", "run-end"];

  test("are each piece of its answers, each tool call and each stored entry, in order", async () => {
    await using running = await start();
    const events = await watch(running, async () => void (await ask(running)));
    expect(orderOf(events)).toEqual(["entry", "run-start", "block-start", "block-delta", "tool-start", "entry", ...ANSWERED]);
    const blocks = events.flatMap((event) => (event.type === "block-start" ? [event.block] : []));
    expect(blocks).toEqual(["thinking", "thinking", "text"]);
    const text = events.map((event) => (event.type === "block-delta" ? event.text : "")).join("");
    expect(text).toBe("I have to look.There is nothing.It is empty.");
    expect(new Set(events.flatMap((event) => ("runId" in event ? [event.runId] : []))).size).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: { type: "done" } });
  });

  test("show a tool with side effects as stored before it starts, and its result before the next request", async () => {
    await using running = await start();
    server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), ANSWER]);
    const events = await watch(running, async () => void (await platform.say(platform.message("write it"))));
    expect(orderOf(events)).toEqual(["entry", "run-start", "entry", "tool-start", "entry", ...ANSWERED]);
  });

  test("contain its start after a restart, and nothing that was published before", async () => {
    const first = await start();
    const reached = server.nextRequest();
    server.respond(() => new Promise<never>(() => undefined));
    await platform.say(platform.message("look"));
    await reached;
    await first.stop();
    const gate = Promise.withResolvers<AnthropicReply>();
    server.respond(() => gate.promise);
    await using second = await start({}, {}, first.home);
    const events = await watch(second, async () => gate.resolve(textReply("Yes.")));
    expect(events.flatMap((event) => (event.type === "entry" ? [event.entry.type] : []))).toEqual(["assistant"]);
  });
});

describe("the history limit", () => {
  const at = (kind: "direct" | "group", threadId?: string): Partial<MsgContext> => ({
    origin: { channel: "test", accountId: "default", conversation: { kind, id: "c-1", ...withoutUndefined({ threadId }) } },
  });

  test.each([
    ["a direct conversation", at("direct"), { direct: 1 }],
    ["a group", at("group"), { group: 1 }],
    ["a thread of a group", at("group", "t-1"), { thread: 1 }],
  ] as const)("of %s follows its configuration", async (_name, extra, historyLimit) => {
    server.respond(() => textReply("Yes."));
    const limits = [
      historyLimit,
      { direct: 9, group: 9, thread: 9, ...historyLimit },
      { direct: 1, group: 1, thread: 1, [Object.keys(historyLimit)[0] ?? ""]: 9 },
    ];
    const shown: boolean[] = [];
    for (const limit of limits) {
      await using running = await start({}, { groupPolicy: "open", groups: { "*": { requireMention: false } }, historyLimit: limit });
      for (const text of ["first words", "second words", "third words"]) {
        await platform.say(platform.message(text, extra));
        await running.gateway.engine.idle();
      }
      shown.push(JSON.stringify(server.requests.at(-1)?.body?.["messages"]).includes("first words"));
    }
    expect(shown).toEqual([false, false, true]);
  });
});
