import type { AgentTool } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer, JsonObject } from "@factotum/testing-providers";
import { defineTool } from "@factotum/tools";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fakeSkills } from "../../test/fake-skills.ts";
import { endsAsKilled, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { addJob } from "../../test/job-scene.ts";

const SESSION = "agent:main:main";
const WAIT = { timeout: 10_000 };

let server: AnthropicServer;
let platform: TestPlatform;
let ran: JsonObject[];
/** Called when the tool runs. */
let onRun: () => Promise<void>;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  ran = [];
  onRun = async () => undefined;
});
afterEach(() => server[Symbol.asyncDispose]());

/** A deferred tool, by its group. */
const tts = (traits: Partial<AgentTool["traits"]> = {}): AgentTool =>
  defineTool({
    name: "tts",
    summary: "Speak a text.",
    description: "Speaks a text.",
    schema: z.strictObject({ text: z.string() }),
    traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false, ...traits },
    execute: async (args) => {
      ran.push(args);
      await onRun();
      return { content: [{ type: "text", text: `spoken: ${args.text}` }] };
    },
  });

const withTools =
  ({ mode = "full", ...tools }: Partial<FactotumConfig["tools"]> & { readonly mode?: FactotumConfig["tools"]["exec"]["mode"] }) =>
  (config: FactotumConfig): FactotumConfig => {
    const base = withModel(server.baseUrl)(config);
    return { ...base, tools: { ...base.tools, ...tools, exec: { ...base.tools.exec, mode } } };
  };

type Options = NonNullable<Parameters<typeof startTestGateway>[0]>;
const start = (options: Options = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), toolSources: [{ id: "core", tools: [tts()] }], ...options });

const throughCall = (args: JsonObject, name = "tts"): ReturnType<typeof toolReply> =>
  toolReply({ name: "tool_call", input: { name, arguments: args } });

async function say(running: TestGateway, text: string): Promise<readonly string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

const toolNames = (index = -1): readonly string[] =>
  ((server.requests.at(index)?.body?.["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
const system = (): string => JSON.stringify(server.requests.at(-1)?.body?.["system"]);
const messages = (index = -1): readonly JsonObject[] => (server.requests.at(index)?.body?.["messages"] ?? []) as readonly JsonObject[];
/** The first block of the model's last answer, as the model was given it. */
const lastCall = (): JsonObject | undefined =>
  (messages().findLast(({ role }) => role === "assistant")?.["content"] as readonly JsonObject[] | undefined)?.[0];
const lastResult = (): string => JSON.stringify(messages().at(-1));

/** Stored calls and results, by the name of their tool. */
async function stored(running: TestGateway): Promise<readonly string[]> {
  const session = await running.store.readSession(SESSION);
  const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 100 });
  return items.flatMap((entry) => {
    if (entry.type !== "message") return [];
    const { message } = entry;
    if (message.role === "toolResult") return [`result of ${message.toolName}`];
    return message.role === "assistant"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [`call of ${block.name}`] : []))
      : [];
  });
}

describe("a deferred tool", () => {
  test("is in the request of a job that may call it and few others", async () => {
    await using running = await start();
    server.script([toolReply({ name: "tts", input: { text: "hello" } }), textReply("I have spoken.")]);
    const payload = { type: "agentTurn", message: "Speak." } as const;
    await addJob(running, { name: "speaker", schedule: { type: "at", at: "1s" }, payload, tools: ["read", "tts"] });
    await expect.poll(() => ran, WAIT).toEqual([{ text: "hello" }]);
    await expect.poll(() => server.requests.length, WAIT).toBe(2);
    expect(toolNames()).toEqual(["read", "tts"]);
  });

  test("is found with tool_search and run with tool_call, as itself for everybody but the model", async () => {
    await using running = await start();
    server.script([
      toolReply({ name: "tool_search", input: { query: "speak" } }),
      throughCall({ text: "hello" }),
      textReply("I have spoken."),
    ]);
    expect(await say(running, "/verbose full speak")).toEqual([
      '`tool_search` `{"query":"speak"}`',
      expect.stringContaining("Parameters (JSON Schema)"),
      '`tts` `{"text":"hello"}`',
      expect.stringContaining("spoken: hello"),
      "I have spoken.",
    ]);
    expect(ran).toEqual([{ text: "hello" }]);
    expect(toolNames(0)).toEqual(expect.arrayContaining(["exec", "read", "tool_call", "tool_search"]));
    expect(toolNames(0)).not.toContain("tts");
    expect(system()).toContain("More by `tool_search`: `tts`.");
    expect(await stored(running)).toEqual(["call of tool_search", "result of tool_search", "call of tts", "result of tts"]);
    const call = lastCall();
    expect(call).toMatchObject({ type: "tool_use", name: "tool_call", input: { name: "tts", arguments: { text: "hello" } } });
  });

  test("does not change what was sent before: each request begins with the one before it, also after a restart", async () => {
    await using running = await start();
    const { home } = running;
    server.script([throughCall({ text: "one" }), textReply("Done.")]);
    await say(running, "speak");
    await running.stop();
    await using again = await start({ home });
    server.script([throughCall({ text: "two" }), textReply("Done again.")]);
    await say(again, "speak again");
    const plain = (index: number): readonly string[] =>
      messages(index).map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));
    for (const index of [1, 2, 3]) expect(plain(index).slice(0, plain(index - 1).length)).toEqual(plain(index - 1));
    expect(
      new Set(
        [0, 1, 2, 3].map((index) =>
          JSON.stringify([server.requests[index]?.body?.["system"], toolNames(index)]).replaceAll(/,"cache_control":\{[^}]*\}/g, ""),
        ),
      ).size,
    ).toBe(1);
  });

  test("has its own check of arguments", async () => {
    await using running = await start();
    server.script([throughCall({ words: "hello" }), textReply("Sorry.")]);
    await say(running, "speak");
    expect(lastResult()).toContain("The arguments of tts are not valid");
    expect(lastResult()).toContain("unknown parameters: words; allowed: text");
    expect(ran).toEqual([]);
  });

  test("that is misspelt is answered with the nearest name", async () => {
    await using running = await start();
    server.script([throughCall({ text: "hello" }, "ttss"), textReply("Sorry.")]);
    await say(running, "speak");
    expect(lastResult()).toContain(String.raw`There is no tool called \"ttss\". Did you mean \"tts\"?`);
    expect(await stored(running)).toEqual(["call of tool_call", "result of tool_call"]);
  });

  test("can be called by its own name, too", async () => {
    await using running = await start();
    server.script([toolReply({ name: "tts", input: { text: "hello" } }), textReply("Done.")]);
    await say(running, "speak");
    expect(ran).toEqual([{ text: "hello" }]);
    const call = lastCall();
    expect(call).toMatchObject({ name: "tts", input: { text: "hello" } });
  });

  test("a tool of the request runs through tool_call under its own policy", async () => {
    await using running = await start({ asks: true, patch: withTools({ mode: "ask" }) });
    server.script([throughCall({ command: "date" }, "exec"), textReply("Done.")]);
    await platform.say(platform.message("what time is it"));
    const [waiting] = await vi.waitUntil(async () => {
      const calls = await running.gateway.engine.parts.approvals.waiting();
      return calls.length > 0 && calls;
    }, WAIT);
    expect(waiting).toMatchObject({ toolName: "exec", text: "date", arguments: { command: "date" } });
    await running.gateway.engine.parts.approvals.decide(waiting?.id ?? "", "deny");
    await running.gateway.engine.idle();
    expect(lastResult()).toContain("exec was not run: the owner denied it");
  });
});

describe("the policy of a deferred tool", () => {
  test.each<[string, Partial<FactotumConfig["tools"]>]>([
    ["the tool is denied", { deny: ["tts"] }],
    ["its group is denied", { deny: ["group:media"] }],
    ["the profile does not have it", { profile: ["minimal"] }],
    ["only tool_call and tool_search are allowed", { allow: ["read", "tool_call", "tool_search"] }],
    ["tool_call is denied", { deny: ["tool_call"] }],
    ["tool_search is denied", { deny: ["tool_search"] }],
  ])("offers neither carrier where %s, and runs nothing", async (_, tools) => {
    await using running = await start({ patch: withTools(tools) });
    server.script([throughCall({ text: "hello" }), toolReply({ name: "tts", input: { text: "hello" } }), textReply("Sorry.")]);
    await say(running, "speak");
    expect(toolNames().filter((name) => name.startsWith("tool_"))).toEqual([]);
    expect(system()).not.toContain("tts");
    expect(ran).toEqual([]);
  });

  test("reaches a tool that is allowed by name, without a word about the carriers", async () => {
    await using running = await start({ patch: withTools({ allow: ["read", "tts"] }) });
    server.script([toolReply({ name: "tool_search", input: { query: "tts" } }), throughCall({ text: "hello" }), textReply("Done.")]);
    await say(running, "speak");
    expect(toolNames()).toEqual(["read", "tool_call", "tool_search"]);
    expect(ran).toEqual([{ text: "hello" }]);
  });

  test("is asked about by its traits, named with its arguments; a restart in between asks again and runs it once", async () => {
    const toolSources = [{ id: "core", tools: [tts({ effect: "execute" })] }];
    const patch = withTools({ mode: "ask" });
    const first = await start({ asks: true, patch, toolSources, around: endsAsKilled });
    server.script([throughCall({ text: "hello" })]);
    await platform.say(platform.message("speak"));
    const waitingOf = (running: TestGateway): Promise<readonly { readonly id: string }[]> =>
      vi.waitUntil(async () => {
        const calls = await running.gateway.engine.parts.approvals.waiting();
        return calls.length > 0 && calls;
      }, WAIT);
    const [asked] = await waitingOf(first);
    expect(asked).toMatchObject({ toolName: "tts", arguments: { text: "hello" } });
    await platform.waitForSends(1);
    expect(JSON.stringify(platform.sent)).toContain("tts");
    expect(JSON.stringify(platform.sent)).not.toContain("tool_call");
    await first.stop();
    await using second = await start({ asks: true, patch, toolSources, home: first.home });
    const [again] = await waitingOf(second);
    expect(again?.id).toBe(asked?.id);
    expect(ran).toEqual([]);
    server.script([textReply("Done.")]);
    await second.gateway.engine.parts.approvals.decide(again?.id ?? "", "allow-once");
    await vi.waitUntil(() => ran.length > 0, WAIT);
    await second.gateway.engine.idle();
    expect(ran).toEqual([{ text: "hello" }]);
    expect(lastResult()).toContain("spoken: hello");
  });

  test("refuses a guest what the tool's effect does not allow", async () => {
    await using running = await start({
      accountConfig: { dmPolicy: "open", allowFrom: ["*"] },
      toolSources: [{ id: "core", tools: [tts({ effect: "config" })] }],
    });
    server.script([throughCall({ text: "hello" }), textReply("Sorry.")]);
    await platform.say(platform.message("speak", { sender: { id: "guest-1", name: "Gil", isBot: false } }));
    await running.gateway.engine.idle();
    expect(lastResult()).toContain("tts was refused");
    expect(ran).toEqual([]);
  });
});

describe("a deferred call that a kill interrupted", () => {
  test.each([
    ["that only reads is run again", "read", 2, "spoken: hello"],
    ["that changes something is not run again", "write", 1, "The run was stopped while tts was at work."],
  ] as const)("%s", async (_, effect, runs, result) => {
    const toolSources = [{ id: "core", tools: [tts({ effect })] }];
    const started = Promise.withResolvers<void>();
    onRun = async () => {
      started.resolve();
      await new Promise(() => undefined);
    };
    const first = await start({ toolSources, around: endsAsKilled });
    server.script([throughCall({ text: "hello" })]);
    await platform.say(platform.message("speak"));
    await started.promise;
    await first.stop();
    onRun = async () => undefined;
    server.script([textReply("Done.")]);
    await using second = await start({ toolSources, home: first.home });
    await second.gateway.engine.idle();
    expect(ran).toHaveLength(runs);
    expect(lastResult()).toContain(result);
  });
});

test("a plugin cannot take the place of a carrier", async () => {
  const stolen = { ...tts(), name: "tool_call" };
  await using running = await start({ toolSources: [{ id: "drawing", tools: [stolen] }] });
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  expect(toolNames()).not.toContain("tool_call");
  expect(running.logger.lines.join("\n")).toContain("A tool was left out");
});

test("many tools of plugins are deferred together; the prompt has their number, not their names", async () => {
  const tools = Array.from({ length: 25 }, (_, index) => ({ ...tts(), name: `drawing_${index}` }));
  await using running = await start({ toolSources: [{ id: "drawing", tools }] });
  server.script([throughCall({ text: "hello" }, "drawing_7"), textReply("Done.")]);
  await say(running, "draw");
  expect(toolNames().filter((name) => name.startsWith("drawing"))).toEqual([]);
  expect(system()).toContain("More by `tool_search`: drawing: 25 tools.");
  expect(system()).not.toContain("drawing_7");
  expect(ran).toEqual([{ text: "hello" }]);
});

test("a skill whose tool is looked up is in the prompt, and its presence is no change; without the tool it is not", async () => {
  const speaker = fakeSkills(() => [
    {
      name: "speaker",
      description: "reads aloud",
      location: "/managed/speaker/SKILL.md",
      source: "managed",
      folder: "/managed/speaker",
      tools: ["tts"],
    },
  ]);
  {
    await using running = await start({ skills: speaker });
    server.respond(() => textReply("Yes."));
    await say(running, "one");
    expect(system()).toContain("speaker: reads aloud");
    await say(running, "two");
    expect(JSON.stringify(messages())).not.toContain("speaker");
  }
  platform = new TestPlatform();
  await using running = await start({ skills: speaker, patch: withTools({ deny: ["tool_call"] }) });
  await say(running, "one");
  expect(system()).not.toContain("speaker");
});
