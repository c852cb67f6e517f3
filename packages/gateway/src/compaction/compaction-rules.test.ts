import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { LIMIT_MS, LimitClock } from "../../test/limit-clock.ts";

const SESSION = "agent:main:main";
const SUMMARISER = "anthropic/claude-haiku-4-5";
/** Parts in which a summariser with 16,000 tokens receives the conversations in this file. */
const PARTS = [1, 2, 3, 4];

/** Windows that a few long messages fill. `summariser`: the model configured for summaries; the session's own model if omitted. */
function windows(baseUrl: string, contextWindow: number, summariser?: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(baseUrl)(config);
    const anthropic = base.models.providers["anthropic"];
    if (anthropic === undefined) throw new Error("no provider");
    const models = [
      { id: "claude-sonnet-5-5", contextWindow, maxOutput: 1000 },
      { id: "claude-haiku-4-5", contextWindow: 16_000, maxOutput: 1000 },
    ];
    const limits = { connectSeconds: LIMIT_MS / 1000, firstEventSeconds: LIMIT_MS / 1000, idleSeconds: LIMIT_MS / 1000 };
    return {
      ...base,
      agents: base.agents.map((agent) => ({
        ...agent,
        compaction: { ...agent.compaction, ...withoutUndefined({ model: summariser }) },
      })),
      models: { ...base.models, timeouts: limits, providers: { anthropic: { ...anthropic, models } } },
    };
  };
}

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");
const long = (word: string): string => `${word} ${"lorem ipsum ".repeat(700)}`;
const SILENCE: AnthropicReply = { ...textReply("Never."), fault: { type: "stall", afterBytes: 0 } } as AnthropicReply;

const summariesOf = (server: AnthropicServer): readonly string[] =>
  server.requests.filter(({ body }) => isSummary(body)).map(({ body }) => JSON.stringify(body?.["messages"]));

/** Sends long messages one by one, each after the answer to the one before. */
async function converse(platform: TestPlatform, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const sent = platform.sent.length;
    await platform.say(platform.message(long(`word-${index}`)));
    await platform.waitForSends(sent + 1);
  }
}

const texts = (platform: TestPlatform): readonly string[] =>
  platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));

describe("a summary model that stops answering in part", () => {
  test.each(PARTS)("%i: the session's own model continues with that part", async (part) => {
    await using server = await startAnthropicServer();
    let asked = 0;
    const reached = Promise.withResolvers<void>();
    server.respond(({ body }) => {
      if (!isSummary(body)) return textReply("Noted.");
      asked += 1;
      if (asked !== part) return textReply("Known: words.");
      reached.resolve();
      return SILENCE;
    });
    const platform = new TestPlatform();
    const clock = new LimitClock();
    await using running = await startTestGateway({ platform, clock, patch: windows(server.baseUrl, 63_000, SUMMARISER) });
    await converse(platform, 17);
    await platform.say(platform.message("/compact"));
    await reached.promise;
    clock.pass();
    await platform.waitForSends(18);
    await platform.say(platform.message("And now?"));
    await platform.waitForSends(19);
    const summaries = summariesOf(server);
    expect(summaries[part]).toBe(summaries[part - 1]);
    expect(new Set(summaries).size).toBe(summaries.length - 1);
    expect(summaries.length).toBeGreaterThan(PARTS.length);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Known: words.");
    expect(texts(platform).slice(-2)).toEqual(["Older messages are summarised now.", "Noted."]);
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    expect(server.violations).toEqual([]);
  });

  test.each(PARTS)("%i, with no other model available: the conversation is truncated by rule and continues", async (part) => {
    await using server = await startAnthropicServer();
    let asked = 0;
    const silences = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    server.respond(({ body }) => {
      if (!isSummary(body)) return textReply("Noted.");
      asked += 1;
      if (asked < part) return textReply("Known: words.");
      silences[asked - part]?.resolve();
      return SILENCE;
    });
    const platform = new TestPlatform();
    const clock = new LimitClock();
    await using running = await startTestGateway({ platform, clock, patch: windows(server.baseUrl, 63_000, SUMMARISER) });
    await converse(platform, 17);
    await platform.say(platform.message("/compact"));
    for (const { promise } of silences) {
      await promise;
      clock.pass();
    }
    await platform.waitForSends(18);
    await platform.say(platform.message("And now?"));
    await platform.waitForSends(19);
    expect(asked).toBe(part + 1);
    expect(texts(platform).at(-1)).toBe("Noted.");
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    expect(server.violations).toEqual([]);
  });
});

test("an unusable summary model is replaced by the session's own model", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) => textReply(isSummary(body) ? "Known: words." : "Noted."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: windows(server.baseUrl, 60_000, "nowhere/none") });
  await converse(platform, 4);
  await platform.say(platform.message("/compact"));
  await platform.waitForSends(5);
  expect(texts(platform).at(-1)).toBe("Older messages are summarised now.");
  expect(summariesOf(server)).toHaveLength(1);
  expect(running.logger.lines.join("\n")).toContain("The model for summaries cannot be used");
});

test("a summary longer than the text it replaces is truncated, and the next message is answered", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) => textReply(isSummary(body) ? "Known: words. ".repeat(20_000) : "Noted."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: windows(server.baseUrl, 20_000) });
  await converse(platform, 9);
  expect(texts(platform)).toEqual(Array.from({ length: 9 }, () => "Noted."));
  expect((await running.store.readSession(SESSION))?.compactionCount).toBeGreaterThanOrEqual(1);
  for (const { body } of server.requests.filter((request) => !isSummary(request.body))) {
    expect(JSON.stringify(body).length / 4).toBeLessThan(20_000);
  }
});

test("at the edge of its window a conversation is still answered turn by turn, and summarised only every few turns", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) => textReply(isSummary(body) ? "Known: words." : "Noted."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: windows(server.baseUrl, 20_000) });
  const counts: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    await converse(platform, 1);
    counts.push((await running.store.readSession(SESSION))?.compactionCount ?? 0);
  }
  expect(texts(platform)).toEqual(Array.from({ length: 20 }, () => "Noted."));
  const compacted = counts.flatMap((count, turn) => (count > (counts[turn - 1] ?? 0) ? [turn] : []));
  expect(compacted.length).toBeGreaterThanOrEqual(2);
  for (const [index, turn] of compacted.entries()) expect(turn - (compacted[index - 1] ?? -2)).toBeGreaterThanOrEqual(2);
});
