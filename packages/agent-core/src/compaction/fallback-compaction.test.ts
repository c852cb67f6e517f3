import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyHistory, asks, IMAGE, says, toolResult, turn, UTC } from "../../test/histories.ts";
import { sendableFaults } from "../../test/sendable-faults.ts";
import { assistant, call, user } from "../../test/scripted-model.ts";
import { projectMessages } from "../projection/project-messages.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { contextBudget } from "./context-budget.ts";
import { fallbackCompaction, type FallbackCompaction, type FallbackOptions } from "./fallback-compaction.ts";
import { renderSummaryMessage } from "./render-summary-message.ts";

const SMALL: FallbackOptions = { window: 16_000, overheadTokens: 4_000, time: UTC };
const request = (made: FallbackCompaction): readonly AgentMessage[] =>
  projectMessages([renderSummaryMessage({ ...made, timestamp: 0 }), ...made.messages]);
const many = Array.from({ length: 40 }, (_, index) => [turn(`question ${index}`), says("a".repeat(2_000))]).flat();

describe("fallbackCompaction", () => {
  test("dates the removed messages and the rest of the last turn", () => {
    const at = Date.UTC(2026, 5, 15, 14, 31);
    const dated = many.map((message) => ({ ...message, timestamp: at }));
    expect(fallbackCompaction(dated, SMALL).summary).toMatch(/\n- Mon 2026-06-15 14:31 UTC: question \d+\n/);
    const long = { ...turn("x".repeat(200_000)), timestamp: at };
    expect(JSON.parse(fallbackCompaction([long], SMALL).words)).toMatchObject({ role: "user", time: "Mon 2026-06-15 14:31 UTC" });
  });

  test("keeps the latest whole turns, and lists what was removed", () => {
    const made = fallbackCompaction(many, SMALL);
    expect(made.shrunk).toBe(false);
    expect(made.messages).toEqual(many.slice(made.firstKept));
    expect(made.messages[0]?.role).toBe("user");
    expect(made.messages.length).toBeGreaterThan(8);
    expect(made.summary).toMatch(new RegExp(`^${made.firstKept / 2} older turns were cut`));
    expect(made.summary).toMatch(new RegExp(`UTC: question ${made.firstKept / 2 - 1}$`));
  });

  test("counts earlier messages that were not read", () => {
    expect(fallbackCompaction(many, { ...SMALL, omitted: 70 }).summary).toContain("70 messages before them were left out.");
    expect(fallbackCompaction(many, SMALL).summary).not.toContain("before them");
  });

  test("keeps half of the earlier summary", () => {
    expect(fallbackCompaction(many, { ...SMALL, previousSummary: "The cat is called Miu." }).summary).toContain("The cat is called Miu.");
  });

  test("shrinks results, arguments and images of an oversized last turn without splitting a call from its result", () => {
    const long = [
      turn("go", {}, [IMAGE]),
      asks("a", "b"),
      toolResult("a", "x".repeat(90_000), [IMAGE]),
      toolResult("b"),
      assistant("", [call("c", "write", { content: "y".repeat(90_000) })]),
    ];
    const made = fallbackCompaction(long, SMALL);
    expect(made).toMatchObject({ firstKept: 0, shrunk: true });
    expect(JSON.stringify(made.messages)).not.toContain(IMAGE.data);
    expect(JSON.stringify(made.messages)).toContain("arguments removed");
    expect(request(made)).toHaveLength(7);
    expect(request(made)[1]).toEqual(long[0]?.role === "user" ? made.messages[0] : undefined);
  });

  test("drops the oldest steps of a turn, and truncates its text last", () => {
    const steps = Array.from({ length: 300 }, (_, index) => [asks(`c${index}`), toolResult(`c${index}`, "x".repeat(190))]).flat();
    const made = fallbackCompaction([turn("go"), ...steps], SMALL);
    expect(made.messages.at(-1)).toMatchObject({ toolCallId: "c299" });
    expect(made.messages.length).toBeGreaterThan(20);
    expect(made.words).toMatch(/^.*"role":"user".*"text":"go"/);
    expect(made.words.match(/"role":"result"/g)?.length).toBeGreaterThan(20);
    const said = fallbackCompaction([user("字".repeat(50_000))], SMALL);
    expect(said.messages).toHaveLength(1);
    expect(JSON.stringify(said.messages)).toContain("cut to make room");
  });

  test("stays tainted after removing text of others", () => {
    const strange = many.with(0, { ...turn("x"), tainted: true });
    expect(fallbackCompaction(strange, SMALL).tainted).toBe(true);
    expect(fallbackCompaction(many, SMALL).tainted).toBe(false);
  });

  test("fits any window, is sendable and deterministic, for any transcript", () => {
    const huge = fc.constantFrom<readonly AgentMessage[]>(
      [],
      [user("word ".repeat(40_000))],
      [turn("字".repeat(60_000)), says("好".repeat(60_000))],
      [turn("x"), assistant("t".repeat(300_000), [call("q", "write", { content: "z".repeat(300_000) })])],
      [turn("x"), { ...asks("x"), content: [{ type: "thinking", text: "m".repeat(400_000), signature: {} }] }],
      [
        turn("go"),
        ...Array.from({ length: 200 }, (_, index) => [asks(`c${index}`), toolResult(`c${index}`, "line\n".repeat(500), [IMAGE])]).flat(),
      ],
    );
    fc.assert(
      fc.property(
        anyHistory,
        huge,
        fc.boolean(),
        fc.integer({ min: 16_000, max: 1_000_000 }),
        fc.nat(200_000),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.option(fc.constantFrom("short", "长".repeat(20_000)), { nil: undefined }),
        (history, large, first, window, reserveTokens, share, previousSummary) => {
          const messages = first ? [...large, ...history] : [...history, ...large];
          const overheadTokens = Math.floor(window * share);
          const options: FallbackOptions = {
            window,
            reserveTokens,
            overheadTokens,
            time: UTC,
            ...withoutUndefined({ previousSummary }),
          };
          const made = fallbackCompaction(messages, options);
          const sent = request(made);
          expect(estimateTokens(sent) + overheadTokens).toBeLessThanOrEqual(contextBudget(options).maxContext);
          expect(sendableFaults(sent)).toEqual([]);
          const inWords = request({ ...made, summary: `${made.summary}\nWhat is left of it:\n${made.words}`, messages: [] });
          if (made.shrunk) expect(estimateTokens(inWords) + overheadTokens).toBeLessThanOrEqual(contextBudget(options).maxContext);
          else expect(made.words).toBe("");
          expect(fallbackCompaction(messages, options)).toEqual(made);
        },
      ),
      { numRuns: 150 },
    );
  });
});
