import type { AgentMessage } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { asks, IMAGE, says, toolResult, turn } from "../../test/histories.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { pruneToolResults } from "./prune-tool-results.ts";

/** One turn with a result of this many characters. */
const work = (id: string, chars: number): readonly AgentMessage[] => [
  turn(id),
  asks(id),
  toolResult(id, `${"h".repeat(chars - 1)}t`, [IMAGE]),
];
const OLD = [...work("a", 10_000), ...work("b", 30_000), ...work("c", 20_000), ...work("d", 100)];
const HISTORY = [...OLD, ...work("e", 90_000), says("x"), turn("now"), says("y")];
const textAt = (messages: readonly AgentMessage[], index: number): string => {
  const [block] = messages[index]?.content ?? [];
  return block?.type === "text" ? block.text : "";
};

describe("pruneToolResults", () => {
  test("leaves a small context alone", () => {
    const pruned = pruneToolResults(HISTORY, { contextTokens: 30_000, contextWindow: 100_000 });
    expect(pruned).toEqual({ messages: HISTORY, trimmed: 0, cleared: 0, savedTokens: 0 });
    expect(pruned.messages).toBe(HISTORY);
  });

  test("shortens old results over 4,000 characters, except those of the last three answers", () => {
    const { messages, trimmed, cleared, savedTokens } = pruneToolResults(HISTORY, { contextTokens: 45_000, contextWindow: 100_000 });
    expect({ trimmed, cleared }).toEqual({ trimmed: 3, cleared: 0 });
    expect(textAt(messages, 2)).toMatch(/^h{1500}\n\[…\]\nh{1499}t\n\[.*1500 of 10000 characters/);
    expect(messages[2]?.content[1]).toBe(IMAGE);
    expect(messages[11]).toBe(HISTORY[11]);
    expect(messages.slice(12)).toEqual(HISTORY.slice(12));
    expect(savedTokens).toBe(estimateTokens(HISTORY) - estimateTokens(messages));
    expect(pruneToolResults(messages, { contextTokens: 45_000, contextWindow: 100_000 }).messages).toBe(messages);
  });

  test("shortens the result of the fourth answer from the end, but not of the third", () => {
    const history = [...work("fourth", 20_000), ...work("third", 20_000), says("second"), says("last")];
    const { messages, trimmed } = pruneToolResults(history, { contextTokens: 45_000, contextWindow: 100_000 });
    expect(trimmed).toBe(1);
    expect(textAt(messages, 2)).toContain("of 20000 characters");
    expect(messages.slice(3)).toEqual(history.slice(3));
  });

  test("stops shortening when the context is small enough", () => {
    expect(pruneToolResults(HISTORY, { contextTokens: 31_000, contextWindow: 100_000 }).trimmed).toBe(1);
  });

  test("empties old results, oldest first, while the context exceeds half of the window", () => {
    const many = [...Array.from({ length: 20 }, (_, index) => work(`r${index}`, 3_900)).flat(), says("1"), says("2"), says("3")];
    const { messages, trimmed, cleared } = pruneToolResults(many, { contextTokens: 53_000, contextWindow: 100_000 });
    expect(trimmed).toBe(0);
    expect(cleared).toBe(4);
    expect(textAt(messages, 2)).toContain("removed to make room");
    expect(textAt(messages, 2 + 3 * 4)).toMatch(/^h/);
  });

  test("does not prune small tool results", () => {
    const few = [...Array.from({ length: 12 }, (_, index) => work(`r${index}`, 3_900)).flat(), says("1"), says("2"), says("3")];
    expect(pruneToolResults(few, { contextTokens: 90_000, contextWindow: 100_000 }).cleared).toBe(0);
  });

  test("changes nothing with fewer than three answers", () => {
    const short = [...work("a", 60_000), says("x")];
    expect(pruneToolResults(short, { contextTokens: 90_000, contextWindow: 100_000 }).messages).toBe(short);
  });
});
