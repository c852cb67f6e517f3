import type { AgentMessage, AssistantMessage, UserMessage } from "@factotum/agent-contract";
import { NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { callTools, isPrefixOf, sayText, startStrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import type { StrictServer, WireFormatName } from "@factotum/testing-providers";
import { afterEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { buildContextReport } from "../requests/build-context-report.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const SESSION = "agent:main:main";
const MODELS: Readonly<Record<WireFormatName, string>> = {
  "anthropic-messages": "claude-sonnet-5-5",
  "openai-responses": "gpt-5",
  "openai-chat": "gpt-4.1",
  "google-generative-ai": "gemini-2.5-pro",
  mistral: "mistral-large-latest",
};
const REFUSED = { type: "error", errorType: "invalid-request" } as const;
/** Declared `image/png` but not an image: every provider rejects it with its own error text. */
const NO_IMAGE = { type: "image", mimeType: "image/png", data: "aGVsbG8=" } as const;

let server: StrictServer;
afterEach(() => server.close());

function withServer(format: WireFormatName): (config: FactotumConfig) => FactotumConfig {
  return (config) => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, model: { primary: `strict/${MODELS[format]}`, fallbacks: [] } })),
    models: {
      ...config.models,
      providers: {
        strict: {
          api: format,
          baseUrl: server.baseUrl,
          apiKey: { type: "literal", value: "sk-test-secret" },
          credentials: {},
          models: [{ id: MODELS[format], contextWindow: 200_000, maxOutput: 8000, input: ["text", "image"] }],
          timeouts: {},
        },
      },
    },
  });
}

async function start(format: WireFormatName, platform: TestPlatform, home?: string): Promise<TestGateway> {
  return startTestGateway({ platform, patch: withServer(format), ...withoutUndefined({ home }) });
}

async function say(running: TestGateway, platform: TestPlatform, text: string): Promise<string> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  const last = platform.sent.at(-1)?.outbound;
  return last?.type === "text" ? last.text : "";
}

/** Inserts messages into the transcript. */
async function plant(running: TestGateway, ...messages: readonly AgentMessage[]): Promise<void> {
  const sessionId = (await running.store.readSession(SESSION))?.sessionId ?? "";
  for (const message of messages) await running.store.appendEntry(sessionId, { type: "message", message }, { timestampMs: Date.now() });
  running.gateway.engine.parts.cache.drop(sessionId);
}

const user = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: Date.now() });
const answer = (content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  provider: "strict",
  model: MODELS["anthropic-messages"],
  usage: NO_USAGE,
  stopReason: "stop",
  timestamp: Date.now(),
});
const causesOf = async (running: TestGateway): Promise<readonly (readonly string[])[]> =>
  (await listContextRequests({ sessionKey: SESSION, limit: 50 }, running.gateway.engine.parts)).requests
    .map(({ causes }) => causes)
    .toReversed();

describe("a conversation that a provider rejects", () => {
  test.each(WIRE_FORMATS)("%s: an invalid image is quarantined, and the second request is answered", async (format) => {
    server = await startStrictServer(format);
    server.respond(() => sayText("Yes."));
    const platform = new TestPlatform();
    let running = await start(format, platform);
    await say(running, platform, "one");
    await plant(running, user([{ type: "text", text: "my cat" }, NO_IMAGE]), answer([{ type: "text", text: "Nice." }]));
    const said = await say(running, platform, "two");
    expect(said).toBe("Yes.\n\n_The model's provider refused an image that you had sent, so it is left out from now on._");
    expect(server.requests).toHaveLength(3);
    expect(server.violations).toHaveLength(1);
    expect(server.requests[1]?.bytes.toString()).not.toBe(server.requests[2]?.bytes.toString());
    expect(server.requests[2]?.bytes.toString()).toContain("my cat");
    expect(await causesOf(running)).toEqual([["new-session"], [], ["quarantine"]]);
    expect(running.logger.lines.some((line) => line.includes("Prompt break") && line.includes("quarantine"))).toBe(true);
    const { parts } = running.gateway.engine;
    for (const request of [1, 2]) expect((await buildContextReport({ sessionKey: SESSION, turn: 2, request }, parts)).exact).toBe(true);
    await running.stop();
    running = await start(format, platform, running.home);
    expect(await say(running, platform, "three")).toBe("Yes.");
    expect(server.requests).toHaveLength(4);
    expect(isPrefixOf(server.requests[2]?.body ?? {}, server.requests[3]?.body ?? {}, format)).toBe(true);
    expect((await causesOf(running)).at(-1)).toEqual([]);
    await running[Symbol.asyncDispose]();
  });

  test("a rejected thinking block is quarantined without a notice, and stays in the transcript", async () => {
    server = await startStrictServer("anthropic-messages");
    server.respond(({ body }) => {
      if (JSON.stringify(body).includes("I was here"))
        return { ...REFUSED, message: "messages.1.content.0: Invalid `signature` in `thinking` block" };
      return {
        type: "message",
        content: [
          { type: "thinking", text: "I was here" },
          { type: "text", text: "Yes." },
        ],
      };
    });
    const platform = new TestPlatform();
    await using running = await start("anthropic-messages", platform);
    await say(running, platform, "one");
    expect(await say(running, platform, "two")).toBe("Yes.");
    expect(server.requests).toHaveLength(3);
    const sessionId = (await running.store.readSession(SESSION))?.sessionId ?? "";
    const { items } = await running.store.readTranscript(sessionId, { limit: 50 });
    expect(JSON.stringify(items.filter(({ type }) => type === "message"))).toContain("I was here");
  });

  test("a rejected tool result is quarantined in the middle of a turn too", async () => {
    server = await startStrictServer("anthropic-messages");
    const platform = new TestPlatform();
    await using running = await start("anthropic-messages", platform);
    let refusals = 0;
    server.respond(({ body }) => {
      const text = JSON.stringify(body);
      if (!text.includes("tool_result")) return callTools({ name: "ls", arguments: {} });
      if (text.includes("left out")) return sayText("Without it, then.");
      refusals += 1;
      return { ...REFUSED, message: "messages.2.content.0.tool_result: the content cannot be read" };
    });
    expect(await say(running, platform, "look")).toBe("Without it, then.");
    expect([server.requests.length, refusals]).toEqual([3, 1]);
    expect(server.violations).toEqual([]);
  });

  test("a second rejection fails the turn with a clear notice and no third request, and undoes a guess that did not help", async () => {
    server = await startStrictServer("anthropic-messages");
    server.respond(() => sayText("Yes."));
    const platform = new TestPlatform();
    await using running = await start("anthropic-messages", platform);
    await say(running, platform, "one");
    server.respond(() => ({ ...REFUSED, message: "no" }));
    expect(await say(running, platform, "two")).toContain("did not accept this request");
    expect(server.requests).toHaveLength(3);
    expect(server.requests[1]?.bytes.toString()).not.toBe(server.requests[2]?.bytes.toString());
    server.respond(() => sayText("Again."));
    expect(await say(running, platform, "three")).toBe("Again.");
    expect(server.requests).toHaveLength(4);
    expect(server.requests[3]?.bytes.toString()).not.toContain("left out");
    expect((await causesOf(running)).slice(1)).toEqual([[], ["quarantine"], ["quarantine"]]);
  });

  test("a guess that was undone is not reported", async () => {
    server = await startStrictServer("anthropic-messages");
    server.respond(() => sayText("Yes."));
    const platform = new TestPlatform();
    await using running = await start("anthropic-messages", platform);
    await say(running, platform, "one");
    await plant(running, user([{ type: "text", text: "never answered" }]));
    server.respond(() => ({ ...REFUSED, message: "unknown parameter foo" }));
    await say(running, platform, "two");
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.bytes.toString()).toContain("left out");
    const told = [
      ...platform.sent.map((sent) => JSON.stringify(sent)),
      ...(await running.store.readTranscript((await running.store.readSession(SESSION))?.sessionId ?? "", { limit: 50 })).items
        .filter(({ type }) => type === "notice")
        .map((entry) => JSON.stringify(entry)),
    ];
    expect(told.filter((text) => text.includes("left out from now on"))).toEqual([]);
  });

  test("a rejected first message is not sent again", async () => {
    server = await startStrictServer("anthropic-messages");
    server.respond(() => ({ ...REFUSED, message: "messages.0: cannot be read" }));
    const platform = new TestPlatform();
    await using running = await start("anthropic-messages", platform);
    expect(await say(running, platform, "one")).toContain("did not accept this request");
    expect(server.requests).toHaveLength(1);
  });
});
