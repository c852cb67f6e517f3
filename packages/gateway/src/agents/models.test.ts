import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentTool } from "@factotum/agent-contract";
import type { FactotumConfig, ModelEntry, ProviderConfig } from "@factotum/config";
import { resolveModelInfo } from "@factotum/models";
import { startAnthropicServer, startStrictServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { createMemoryLogger, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { hastyClock } from "../../test/hasty-clock.ts";
import { buildContextReport } from "../requests/build-context-report.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";
import { ToolQuarantine } from "./tool-quarantine.ts";

const SESSION = "agent:main:main";
const KEYS = { work: "sk-key-of-work", home: "sk-key-at-home" } as const;

/** The provider with two credentials, in this order. */
function withCredentials(
  baseUrl: string,
  credentials: ProviderConfig["credentials"] = {
    work: { apiKey: { type: "literal", value: KEYS.work } },
    home: { apiKey: { type: "literal", value: KEYS.home } },
  },
): (config: FactotumConfig) => FactotumConfig {
  return (config) => ({
    ...withModel(baseUrl)(config),
    models: { ...config.models, providers: { anthropic: { baseUrl, credentials, models: [], timeouts: {} } } },
  });
}

const failing = (errorType: "rate_limit_error" | "overloaded_error", retryAfter?: string): AnthropicReply => ({
  type: "error",
  errorType,
  message: "later",
  ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
});

const texts = (platform: TestPlatform): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** Sends a message and returns the credential that answered. */
async function say(running: TestGateway, platform: TestPlatform, text: string): Promise<string | undefined> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  const { requests } = await listContextRequests({ sessionKey: SESSION, limit: 1 }, running.gateway.engine.parts);
  return requests[0]?.credential;
}

describe("several credentials of a provider", () => {
  test("the next one answers if one is refused, no one is notified, and status shows the cooldown and never a key", async () => {
    await using server = await startAnthropicServer({ apiKey: KEYS.home });
    server.respond(() => textReply("Here."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withCredentials(server.baseUrl) });
    expect(await say(running, platform, "one")).toBe("home");
    expect(await say(running, platform, "two")).toBe("home");
    expect(texts(platform)).toEqual(["Here.", "Here."]);
    // The refused key was sent once and has cooled down since.
    expect(server.requests).toHaveLength(3);
    const status = await running.gateway.status();
    expect(status.agents[0]?.credentials).toEqual(["work", "home"]);
    expect(status.resting).toMatchObject([{ provider: "anthropic", credential: "work", reason: "unauthorized", class: "permanent" }]);
    expect(status.resting[0]).not.toHaveProperty("model");
    expect(status.resting[0]?.untilMs).toBeGreaterThan(Date.now());
    const report = await buildContextReport({ sessionKey: SESSION }, running.gateway.engine.parts);
    expect(report).toMatchObject({ request: { credential: "home" }, resting: status.resting.map(({ credential }) => ({ credential })) });
    const told = `${JSON.stringify([status, report])}${running.logger.lines.join("\n")}`;
    for (const key of Object.values(KEYS)) expect(told).not.toContain(key);
  });

  test("a session stays with the credential that has answered, even after the cooldown of the one before it, and after a restart", async () => {
    await using server = await startAnthropicServer();
    const limited = Array.from({ length: 3 }, () => failing("rate_limit_error", "0"));
    server.script([...limited, textReply("One."), textReply("Two.")]);
    const platform = new TestPlatform();
    const first = await startTestGateway({ platform, clock: hastyClock, patch: withCredentials(server.baseUrl) });
    expect(await say(first, platform, "one")).toBe("home");
    expect((await first.gateway.status()).resting).toEqual([]);
    expect(await say(first, platform, "two")).toBe("home");
    expect((await first.store.readSession(SESSION))?.overrides.authProfile).toBe("anthropic:home");
    await first.stop();
    server.script([textReply("Three."), ...limited, textReply("Four.")]);
    await using second = await startTestGateway({ platform, clock: hastyClock, home: first.home, patch: withCredentials(server.baseUrl) });
    expect(await say(second, platform, "three")).toBe("home");
    expect(await say(second, platform, "four")).toBe("work");
    expect(texts(platform)).toEqual(["One.", "Two.", "Three.", "Four."]);
    expect(server.violations).toEqual([]);
  });

  test("a profile of another provider or of a removed credential changes nothing", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withCredentials(server.baseUrl) });
    expect(await say(running, platform, "one")).toBe("work");
    for (const authProfile of ["openai:home", "anthropic:gone"]) {
      await running.store.patchSession(SESSION, { overrides: { authProfile } }, { nowMs: 1 });
      expect(await say(running, platform, "again")).toBe("work");
    }
  });

  test("if all of them fail the next model answers, and a notice gives the reason", async () => {
    await using server = await startAnthropicServer();
    await using spare = await startAnthropicServer();
    server.respond(() => failing("overloaded_error", "600"));
    spare.respond(() => textReply("I help out."));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withCredentials(server.baseUrl)(config);
      const more: ProviderConfig = {
        api: "anthropic-messages",
        baseUrl: spare.baseUrl,
        apiKey: { type: "literal", value: "sk-spare" },
        credentials: {},
        models: [],
        timeouts: {},
      };
      return {
        ...base,
        agents: base.agents.map((agent) => ({
          ...agent,
          model: { primary: "anthropic/claude-sonnet-5-5", fallbacks: ["spare/claude-sonnet-5-5"] },
        })),
        models: { ...base.models, providers: { ...base.models.providers, spare: more } },
      };
    };
    await using running = await startTestGateway({ platform, patch });
    await say(running, platform, "one");
    await say(running, platform, "two");
    expect(texts(platform)).toEqual([
      "I help out.\n\n_spare/claude-sonnet-5-5 answered, because anthropic/claude-sonnet-5-5 could not (overloaded)._",
      "I help out.",
    ]);
    expect(server.requests).toHaveLength(2);
    const { resting } = await running.gateway.status();
    expect(new Set(resting.map(({ model, credential, class: kind }) => [model, credential, kind].join(" ")))).toEqual(
      new Set(["claude-sonnet-5-5 home transient", "claude-sonnet-5-5 work transient"]),
    );
    expect((await running.store.readSession(SESSION))?.overrides).toEqual({});
  });

  test("the summariser uses the working credential, too", async () => {
    await using server = await startAnthropicServer({ apiKey: KEYS.home });
    server.respond(() => textReply("Noted: two words."));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withCredentials(server.baseUrl)(config);
      const summariser = { model: "anthropic/claude-opus-4-6" };
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, compaction: { ...agent.compaction, ...summariser } })) };
    };
    await using running = await startTestGateway({ platform, patch });
    for (const word of ["one", "two"]) await say(running, platform, `${word} ${"lorem ipsum ".repeat(700)}`);
    await say(running, platform, "/compact");
    expect(texts(platform).at(-1)).toBe("Older messages are summarised now.");
    expect(server.requests.at(-1)?.body?.["model"]).toBe("claude-opus-4-6");
    expect(server.violations).toHaveLength(1);
  });

  test("one without a value is skipped with a warning; without any the person is notified", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    const missing = { apiKey: { type: "env", name: "NOT_SET_HERE" } } as const;
    const usable = { apiKey: { type: "literal", value: KEYS.home } } as const;
    const first = await startTestGateway({ platform, patch: withCredentials(server.baseUrl, { work: missing, home: usable }) });
    expect(await say(first, platform, "one")).toBe("home");
    expect(first.logger.lines.filter((line) => line.includes("credentials.work.apiKey has no value"))).toHaveLength(1);
    await first.stop();
    await using second = await startTestGateway({
      platform,
      home: first.home,
      patch: withCredentials(server.baseUrl, { work: missing, home: missing }),
    });
    await platform.say(platform.message("two"));
    await platform.waitForSends(2);
    expect(server.requests).toHaveLength(1);
    expect((await second.gateway.status()).agents[0]?.modelProblem).toContain("credentials.home.apiKey has no value");
  });
});

/** An OpenAI-compatible server with a custom model. */
function withOwnModel(baseUrl: string, entry: ModelEntry): (config: FactotumConfig) => FactotumConfig {
  return (config) => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, model: { primary: `house/${entry.id}`, fallbacks: [] } })),
    models: {
      ...config.models,
      providers: {
        house: {
          api: "openai-chat",
          baseUrl,
          credentials: { own: { apiKey: { type: "literal", value: "sk-house" } } },
          models: [entry],
          timeouts: {},
        },
      },
    },
  });
}

describe("configured facts of a model", () => {
  test("tools as text: they are described to the model, and its calls are run", async () => {
    await using server = await startStrictServer("openai-chat");
    const call = `<tool_call>\n${JSON.stringify({ name: "read", arguments: { path: "note.txt" } })}\n</tool_call>`;
    server.script([
      { type: "message", content: [{ type: "text", text: call }] },
      { type: "message", content: [{ type: "text", text: "It says swordfish." }] },
    ]);
    const platform = new TestPlatform();
    const home = await mkdtemp(path.join(tmpdir(), "factotum-gateway-"));
    await mkdir(path.join(home, "workspace"));
    await writeFile(path.join(home, "workspace", "note.txt"), "swordfish");
    await using running = await startTestGateway({
      platform,
      home,
      patch: withOwnModel(server.baseUrl, { id: "gpt-4o", tools: "prompt" }),
    });
    await platform.say(platform.message("what does it say?"));
    await running.gateway.engine.idle();
    expect(texts(platform)).toEqual(["It says swordfish."]);
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
    expect(first).toContain("# How to use tools");
    expect(second).toContain('<tool_result name=\\"read\\">');
    expect(server.violations).toEqual([]);
  });

  test("no tools: none are sent, and the prompt does not mention any", async () => {
    await using server = await startStrictServer("openai-chat");
    server.script([{ type: "message", content: [{ type: "text", text: "Yes." }] }]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withOwnModel(server.baseUrl, { id: "gpt-4o", tools: "none" }) });
    await say(running, platform, "hello");
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("## Tooling");
    expect(texts(platform)).toEqual(["Yes."]);
  });

  test("thinking levels: it reasons, and the nearest level is requested, reported once and in status", async () => {
    await using server = await startStrictServer("openai-chat");
    server.respond(() => ({ type: "message", content: [{ type: "text", text: "Yes." }] }));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withOwnModel(server.baseUrl, { id: "gpt-5", thinkingLevels: ["low"] })(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, thinking: "high" as const })) };
    };
    await using running = await startTestGateway({ platform, patch });
    await say(running, platform, "one");
    await say(running, platform, "two");
    expect(server.requests.map(({ body }) => body?.["reasoning_effort"])).toEqual(["low", "low"]);
    const note = "house/gpt-5 takes off, low, adaptive: thinking is low in place of high.";
    expect((await running.gateway.status()).agents[0]?.modelNote).toBe(note);
    const session = await running.store.readSession(SESSION);
    const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 20 });
    expect(items.filter((entry) => entry.type === "notice" && entry.text === note)).toHaveLength(1);
    expect(texts(platform)).toEqual(["Yes.", "Yes."]);
    expect(server.violations).toEqual([]);
  });
});

describe("a tool whose schema a provider refuses", () => {
  const tool = (name: string, parameters: AgentTool["parameters"]): AgentTool => ({
    name,
    summary: name,
    description: name,
    parameters,
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async () => ({ content: [] }),
  });
  const good = tool("look", { type: "object", properties: {} });
  const bad = tool("not a name", { type: "object", properties: {} });

  test("is dropped with one warning per gateway process, for any model and however often it is used", () => {
    const logger = createMemoryLogger();
    const quarantine = new ToolQuarantine(logger);
    for (const [provider, model] of [
      ["anthropic", "claude-sonnet-5-5"],
      ["anthropic", "claude-sonnet-5-5"],
      ["google", "gemini-flash-latest"],
    ] as const) {
      expect(quarantine.admit([good, bad], resolveModelInfo(provider, model))).toEqual([good]);
    }
    expect(quarantine.admit([bad], resolveModelInfo("anthropic", "claude-sonnet-5-5"))).toEqual([]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toContain("not a name");
  });

  test("does not matter for a model that gets tools as text, or none", () => {
    const logger = createMemoryLogger();
    const quarantine = new ToolQuarantine(logger);
    const info = resolveModelInfo("anthropic", "claude-sonnet-5-5");
    expect(quarantine.admit([good, bad], { ...info, tools: "prompt" })).toEqual([good, bad]);
    expect(quarantine.admit([good, bad], { ...info, tools: "none" })).toEqual([]);
    expect(logger.lines).toEqual([]);
  });
});

test("the tools of a turn are those that the model accepts", async () => {
  await using server = await startAnthropicServer();
  server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("Empty.")]);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await say(running, platform, "look");
  expect(JSON.stringify(server.requests[0]?.body?.["tools"])).toContain('"ls"');
  expect(running.logger.lines.join("\n")).not.toContain("A tool is off");
  expect(texts(platform)).toEqual(["Empty."]);
});
