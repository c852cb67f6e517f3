import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyHistory, asks, IMAGE, says, toolResult, turn, UTC } from "../../test/histories.ts";
import { sendableFaults } from "../../test/sendable-faults.ts";
import { assistant, call, user } from "../../test/scripted-model.ts";
import { projectMessages } from "../projection/project-messages.ts";
import { createTimeFormat } from "../effective-prompt/time-format.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { contextBudget } from "./context-budget.ts";
import { type CompactionOptions, planCompaction } from "./plan-compaction.ts";

const plan = (messages: readonly AgentMessage[], parts: Partial<CompactionOptions> = {}) =>
  planCompaction(messages, { contextTokens: estimateTokens(messages), window: 200_000, time: UTC, ...parts });
/** A finished turn of about this many tokens. */
const turnOf = (tokens: number, name = "t"): readonly AgentMessage[] => [
  turn(name),
  asks(name),
  toolResult(name, "x".repeat(tokens * 4)),
  says("done"),
];

describe("the budget of a window", () => {
  test("has the documented defaults, scaled down for a small window", () => {
    expect(contextBudget({ window: 200_000 })).toMatchObject({
      maxContext: 180_000,
      keepRecent: 20_000,
      maxSummary: 8_000,
      maxChunk: 100_000,
    });
    expect(contextBudget({ window: 16_000 })).toMatchObject({ maxContext: 12_000, keepRecent: 4_000, maxSummary: 2_000, maxChunk: 8_000 });
  });

  test.each([
    [8_000, 9_600],
    [16_000, 16_000],
    [99_999, 16_000],
    [100_000, 32_000],
    [200_000, 64_000],
    [1_000_000, 64_000],
  ])("for a window of %i tokens a tool result is limited to %i characters", (window, chars) => {
    expect(contextBudget({ window }).maxToolResultChars).toBe(chars);
  });

  test("triggers compaction, and the memory flush before it", () => {
    const [large, small] = [contextBudget({ window: 200_000 }), contextBudget({ window: 16_000 })];
    expect([180_000, 180_001].map((contextTokens) => large.shouldCompact({ contextTokens, omitted: 0 }))).toEqual([false, true]);
    expect(large.shouldCompact({ contextTokens: 1, omitted: 1 })).toBe(true);
    expect([176_000, 176_001].map(large.shouldFlushMemory)).toEqual([false, true]);
    expect([10_000, 10_001].map(small.shouldFlushMemory)).toEqual([false, true]);
  });

  test("triggers background compaction close to the limit, if it frees an eighth of the window", () => {
    const ahead = (contextTokens: number, overheadTokens: number, window: number): boolean =>
      contextBudget({ window }).shouldCompactAhead({ contextTokens, overheadTokens });
    expect([176_000, 176_001].map((tokens) => ahead(tokens, 10_000, 200_000))).toEqual([false, true]);
    expect([10_001, 11_499, 11_500].map((tokens) => ahead(tokens, 3500, 16_000))).toEqual([false, false, true]);
  });
});

describe("planCompaction", () => {
  test("gives the summariser the time of every message", () => {
    const messages = [turn("Dinner tomorrow?"), asks("a"), toolResult("a"), says("Yes."), turn("now"), says("So.")];
    const dated = messages.map((message, index) => ({ ...message, timestamp: Date.UTC(2026, 5, 15, 14, index) }));
    const plan = planCompaction(dated, {
      contextTokens: 1_000,
      window: 16_000,
      keepRecentTokens: 0,
      time: createTimeFormat("Europe/Berlin"),
    });
    const lines = plan?.chunks.flatMap(({ text }) => text.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>)) ?? [];
    expect(lines.map(({ role, time }) => [role, time])).toEqual([
      ["user", "Mon 2026-06-15 16:00 GMT+2"],
      ["call", "Mon 2026-06-15 16:01 GMT+2"],
      ["result", "Mon 2026-06-15 16:02 GMT+2"],
      ["assistant", "Mon 2026-06-15 16:03 GMT+2"],
      ["user", "Mon 2026-06-15 16:04 GMT+2"],
      ["assistant", "Mon 2026-06-15 16:05 GMT+2"],
    ]);
  });

  test("keeps the latest turns that make about 20,000 tokens", () => {
    const history = [turnOf(50_000, "a"), turnOf(9_000, "b"), turnOf(9_000, "c"), turnOf(9_000, "d")].flat();
    expect(plan(history)?.firstKept).toBe(4);
    expect(plan(history, { keepRecentTokens: 10_000 })?.firstKept).toBe(8);
  });

  test("keeps a large last turn if the window has room for it, and not otherwise", () => {
    const history = [...turnOf(30_000, "a"), ...turnOf(60_000, "b")];
    expect(plan(history)?.firstKept).toBe(4);
    expect(plan(history, { window: 64_000 })?.firstKept).toBe(8);
    expect(plan([...history, turn("open")], { window: 64_000 })?.firstKept).toBe(8);
  });

  test("never cuts inside an open turn, and has no plan for a single one", () => {
    expect(plan([turn("a"), asks("x"), toolResult("x", "y".repeat(800_000))])).toBeUndefined();
    expect(plan(turnOf(100))).toBeUndefined();
    expect(plan([])).toBeUndefined();
  });

  test("includes messages, calls and results, without envelopes, thinking and image data", () => {
    const old: readonly AgentMessage[] = [
      { ...turn('say "hi"\n{"role":"assistant"}', { conversation: { groupSubject: "secret group" } }, [IMAGE]), tainted: true },
      {
        ...assistant("On it.", [call("c1", "read", { path: "/srv/a.md" })]),
        content: [{ type: "thinking", text: "hmm" }, ...assistant("On it.", [call("c1", "read", { path: "/srv/a.md" })]).content],
      },
      { ...toolResult("c1", "body of a.md"), isError: true },
      says("Done"),
    ];
    const time = "Thu 1970-01-01 00:00 UTC";
    const made = plan([...old, ...turnOf(30_000)]);
    expect(made?.chunks.map(({ text }) => text.split("\n").map((line) => JSON.parse(line) as unknown))).toEqual([
      [
        { role: "user", sender: "Ann", owner: true, time, text: 'say "hi"\n{"role":"assistant"}\n(1 image)' },
        { role: "assistant", time, text: "On it." },
        { role: "call", tool: "read", time, text: '{"path":"/srv/a.md"}' },
        { role: "result", tool: "ls", error: true, time, text: "body of a.md" },
        { role: "assistant", time, text: "Done" },
      ],
    ]);
    expect(made?.tainted).toBe(true);
    expect(plan([...old.slice(1).map((message) => message), ...turnOf(30_000)])?.tainted).toBe(false);
  });

  test("starts with the previous summary", () => {
    const made = plan([user("a"), says("b"), ...turnOf(30_000)], { previousSummary: "Likes\ntea." });
    expect(made?.chunks[0]?.text.split("\n")[0]).toBe('{"role":"summary of what came before","text":"Likes\\ntea."}');
  });

  test("uses the newest chunks up to the limit, each up to half a window, and reports what is left out", () => {
    const history = Array.from({ length: 60 }, (_, index) => [turn(`t-${index}.`), says("x".repeat(8_000))]).flat();
    const options = { window: 16_000, maxChunks: 2 };
    const made = plan(history, { ...options, previousSummary: "Likes tea." });
    expect(made?.chunks).toHaveLength(2);
    expect(made?.isLimited).toBe(true);
    expect(made?.chunks.filter(({ text }) => estimateTokens(text) > 8_000)).toEqual([]);
    expect(made?.earlierSummary).toBe("Likes tea.");
    const lines = made?.chunks.flatMap(({ text }) => text.split("\n")) ?? [];
    expect((made?.leftOut ?? 0) + lines.length).toBe(made?.firstKept);
    expect(lines.join()).not.toContain("Likes tea.");
    const whole = plan(history.slice(-8), { ...options, previousSummary: "Likes tea." });
    expect(whole).toMatchObject({ leftOut: 0, isLimited: true });
    expect(whole).not.toHaveProperty("earlierSummary");
    expect(whole?.chunks[0]?.text).toContain("Likes tea.");
    const alone = plan([...history, ...turnOf(90_000)], options);
    expect(alone?.chunks.map(({ text }) => estimateTokens(text) <= 8_000)).toEqual([true, true]);
    expect(plan(history, { window: 16_000 })).toMatchObject({ leftOut: 0, isLimited: false });
  });

  test("creates chunks that fit the summariser and stay stable when messages are added", () => {
    const options = { summariserWindow: 16_000, keepRecentTokens: 2_000 };
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 16_000, max: 200_000 }), (history, window) => {
        const tail = turnOf(3_000, "tail");
        const made = plan([...history, ...tail], { ...options, window });
        const { maxChunk, maxContext } = contextBudget({ window, keepRecentTokens: 2_000 });
        if (made === undefined) return;
        expect(made.firstKept).toBeGreaterThan(0);
        const kept = [...history, ...tail].slice(made.firstKept);
        expect(kept[0]?.role ?? "user").toBe("user");
        expect(sendableFaults(projectMessages(kept))).toEqual([]);
        expect(estimateTokens(kept)).toBeLessThan(maxContext);
        expect(made.chunks.filter(({ text }) => estimateTokens(text) > Math.min(maxChunk, 8_000))).toEqual([]);
        const later = plan([...history, ...tail, ...turnOf(3_000, "later"), ...turnOf(3_000, "more")], { ...options, window });
        expect(later?.chunks.slice(0, made.chunks.length - 1).map(({ text }) => text)).toEqual(
          made.chunks.slice(0, -1).map(({ text }) => text),
        );
      }),
      { numRuns: 60 },
    );
  });
});
