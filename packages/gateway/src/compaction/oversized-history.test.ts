import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const WINDOW = 20_000;
const TURNS = 100;
const REMARK =
  /This conversation is longer than the model can read: [\d,]+ older messages were summarised, and [\d,]+ before them are no longer shown to the model\. The transcript still has all of it\./;

function small(baseUrl: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(baseUrl)(config);
    const anthropic = base.models.providers["anthropic"];
    if (anthropic === undefined) throw new Error("no provider");
    const models = [{ id: "claude-sonnet-5-5", contextWindow: WINDOW, maxOutput: 1000 }];
    return { ...base, models: { ...base.models, providers: { anthropic: { ...anthropic, models } } } };
  };
}

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");
const isFlush = (body: unknown): boolean => JSON.stringify(body).includes(String.raw`\"run\":\"memory\"`);
const summariesOf = (server: AnthropicServer): number => server.requests.filter(({ body }) => isSummary(body)).length;
const texts = (platform: TestPlatform): readonly string[] =>
  platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));

/** Stores a conversation of about twenty windows, or of fewer turns, whose answers report a cost of ten tokens each. */
async function importLong({ store }: Pick<TestGateway, "store">, platform: TestPlatform, turns = TURNS): Promise<void> {
  const said = { api: "other", provider: "other", model: "other", stopReason: "stop" } as const;
  const usage = { input: 5, output: 5, cacheRead: 0, cacheWrite: 0, total: 10 };
  const messages = Array.from({ length: turns }, (_, index): readonly AgentMessage[] => [
    { role: "user", content: [{ type: "text", text: `question-${index}. ${"lorem ipsum ".repeat(350)}` }], timestamp: 1000 + index },
    {
      role: "assistant",
      content: [{ type: "text", text: `answer-${index}. ${"lorem ipsum ".repeat(350)}` }],
      ...said,
      usage,
      timestamp: 1000 + index,
    },
  ]).flat();
  const at = { createdAtMs: 1000, startedAtMs: 1000, interactedAtMs: Date.now(), updatedAtMs: Date.now(), importedAtMs: 2000 };
  const facts = { displayName: "x", overrides: {}, usage: NO_USAGE_TOTALS, compactionCount: 0, isPrivate: true, agentId: "main" };
  const entries = messages.map((message, index) => ({
    id: `${index}`,
    timestampMs: 1000 + index,
    body: { type: "message", message } as const,
  }));
  await store.importSession({ key: SESSION, sessionId: "long", lastOrigin: platform.message("x").origin, ...facts, ...at, entries });
}

describe("a history of many windows", () => {
  test("costs at most three summaries in its first turn and none later, and its user is notified once", async () => {
    await using server = await startAnthropicServer();
    server.respond(({ body }) => textReply(isSummary(body) ? "Known: they asked questions." : "Noted."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await importLong(running, platform);
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(texts(platform)[0]).toMatch(REMARK);
    expect(summariesOf(server)).toBe(3);
    expect(server.requests.filter(({ body }) => isFlush(body))).toEqual([]);
    const answered = JSON.stringify(server.requests.at(-1)?.body);
    expect(answered).toContain(`question-${TURNS - 1}.`);
    expect(answered).toContain("older messages before these were left out, and are not summarised");
    await platform.say(platform.message("and now?"));
    await platform.waitForSends(2);
    expect(texts(platform)[1]).toBe("Noted.");
    expect(summariesOf(server)).toBe(3);
    const notices = (await running.store.readTranscript("long", { limit: 20 })).items.filter(({ type }) => type === "notice");
    expect(notices.map((notice) => (notice.type === "notice" ? notice.text : ""))).toEqual([expect.stringMatching(REMARK)]);
    const kept: string[] = [];
    for await (const entry of running.store.exportTranscript("long")) kept.push(JSON.stringify(entry));
    expect(kept.filter((entry) => entry.includes('"question-')).length).toBe(TURNS);
    expect(server.violations).toEqual([]);
  });

  test("is truncated by rule when the summariser fails, without another request", async () => {
    await using server = await startAnthropicServer();
    server.respond(({ body }): AnthropicReply =>
      isSummary(body) ? { type: "error", errorType: "invalid_request_error", message: "no" } : textReply("Noted."),
    );
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await importLong(running, platform);
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(texts(platform)[0]).toMatch(/[\d,]+ older messages are no longer shown to the model, and none of them could be summarised/);
    expect(summariesOf(server)).toBe(1);
    expect(server.requests).toHaveLength(2);
    expect(server.violations).toEqual([]);
  });

  test("is not compacted by a model twice in one turn when the provider still finds it too long", async () => {
    await using server = await startAnthropicServer();
    let refused = false;
    server.respond(({ body }): AnthropicReply => {
      if (isSummary(body)) return textReply("Known: they asked questions.");
      if (refused) return textReply("Noted.");
      refused = true;
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await importLong(running, platform);
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    expect(texts(platform)[0]).toMatch(REMARK);
    expect(texts(platform)[0]).toContain("Noted.");
    expect(summariesOf(server)).toBe(3);
    expect(server.violations).toEqual([]);
  });

  test("is not truncated by rule if it fits the window: the provider's refusal causes a second summary", async () => {
    await using server = await startAnthropicServer();
    let refused = false;
    server.respond(({ body }): AnthropicReply => {
      if (isSummary(body)) return textReply("Known: they asked questions.");
      if (refused) return textReply("Noted.");
      refused = true;
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await importLong(running, platform, 8);
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    expect(texts(platform)).toEqual(["Noted."]);
    const kinds = server.requests.map(({ body }) => (isSummary(body) ? "summary" : "turn"));
    // Consecutive chunks of one summary count once.
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual(["summary", "turn", "summary", "turn"]);
    expect(server.violations).toEqual([]);
  });

  test("is summarised on request with at most three calls, without a memory flush before", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Known: they asked questions."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await importLong(running, platform);
    await platform.say(platform.message("/compact"));
    await platform.waitForSends(1);
    expect(texts(platform)[0]).toMatch(REMARK);
    expect(server.requests).toHaveLength(summariesOf(server));
    expect(summariesOf(server)).toBe(3);
  });
});
