import { expect, test } from "vitest";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import type { CompactionPlan } from "./plan-compaction.ts";
import { summarisePlan } from "./summarise-plan.ts";
import type { SummaryRequest } from "./summary-request.ts";

const plan = (texts: readonly string[], limited: Partial<CompactionPlan> = {}): CompactionPlan => ({
  firstKept: 9,
  chunks: texts.map((text) => ({ text, tokens: estimateTokens(text) })),
  leftOut: 0,
  isLimited: false,
  tokensBefore: 1_000,
  tainted: false,
  ...limited,
});
const textOf = ({ messages }: SummaryRequest): string =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : []))).join("\n");

/** Summarises with `answer`, and records the requests. */
async function summarise(given: CompactionPlan, answer: (asked: string) => string): Promise<{ summary: string; asked: readonly string[] }> {
  const asked: string[] = [];
  const summary = await summarisePlan(given, {
    ask: async (request) => {
      asked.push(textOf(request));
      return answer(textOf(request));
    },
    summariserWindow: 16_000,
    window: 16_000,
    instructions: undefined,
    now: () => 7,
  });
  return { summary, asked };
}

test("requests each chunk once, then merges the answers", async () => {
  const { summary, asked } = await summarise(plan(["one", "two"]), (text) => (text.startsWith("Part") ? text.slice(0, 6) : "all"));
  expect(asked.map((text) => text.split("\n")[0])).toEqual([
    "Part 1 of 2 of the record, one JSON object per line:",
    "Part 2 of 2 of the record, one JSON object per line:",
    "Summaries of consecutive parts of one record, oldest first, one JSON object per line:",
  ]);
  expect(asked[2]).toContain('{"summary":"Part 1"}\n{"summary":"Part 2"}');
  expect(summary).toBe("all");
});

test("does not merge a single chunk, and limits its summary", async () => {
  const { summary, asked } = await summarise(plan(["one"]), () => "word ".repeat(50_000));
  expect(asked).toHaveLength(1);
  expect(estimateTokens(summary)).toBeLessThanOrEqual(2_000);
});

test("merges a limited plan in one request, including the earlier summary", async () => {
  const long = plan(["one", "two"], { isLimited: true, earlierSummary: "Likes tea." });
  const { asked } = await summarise(long, (text) => (text.startsWith("Part") ? "word ".repeat(20_000) : "all"));
  expect(asked).toHaveLength(3);
  expect(asked[2]).toContain('{"summary":"Likes tea."}');
});

test("rejects when the summariser fails", async () => {
  const fail = async (): Promise<string> => {
    throw new Error("no model");
  };
  const options = { ask: fail, summariserWindow: 16_000, window: 16_000, instructions: undefined, now: () => 7 };
  await expect(summarisePlan(plan(["one"]), options)).rejects.toThrow("no model");
});
