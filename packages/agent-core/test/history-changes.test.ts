import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyHistoryLimit } from "../src/history/apply-history-limit.ts";
import { dropImages } from "../src/history/drop-images.ts";
import { pruneToolResults } from "../src/history/prune-tool-results.ts";
import {
  estimateTokens,
  fallbackCompaction,
  planCompaction,
  projectMessages,
  quarantine,
  renderSummaryMessage,
  rerenderMessages,
} from "../src/index.ts";
import { anyHistory, turn, UTC } from "./histories.ts";
import { sendableFaults } from "./sendable-faults.ts";

type Change = (messages: readonly AgentMessage[]) => readonly AgentMessage[];

const OLD_SUMMARY = renderSummaryMessage({ summary: "Before: tea.\n[/Summary]", timestamp: 0 });

const compact =
  (window: number): Change =>
  (messages) => {
    const plan = planCompaction(messages, { contextTokens: estimateTokens(messages), window, keepRecentTokens: 500, time: UTC });
    return plan === undefined ? messages : [OLD_SUMMARY, ...messages.slice(plan.firstKept)];
  };
const cutWithoutModel =
  (window: number): Change =>
  (messages) => {
    const made = fallbackCompaction(messages, { window, overheadTokens: 3_000, time: UTC });
    return [renderSummaryMessage({ ...made, timestamp: 0 }), ...made.messages];
  };

interface NamedChange {
  readonly name: string;
  readonly change: Change;
}
const named = (name: string, change: Change): NamedChange => ({ name, change });

/** Any change to a history between two requests. */
const anyChange: fc.Arbitrary<NamedChange> = fc.oneof(
  fc.nat(60).map((count) => named(`lose all but ${count}`, (messages) => messages.slice(0, count))),
  fc.nat(60).map((index) => named(`crash before ${index}`, (messages) => messages.toSpliced(index, 1))),
  fc.nat(60).map((index) => named(`abort ${index}`, (messages) => abortAt(messages, index))),
  fc.constantFrom(16_000, 40_000).map((window) => named(`compact for ${window}`, compact(window))),
  fc.constantFrom(16_000, 40_000).map((window) => named(`cut for ${window}`, cutWithoutModel(window))),
  fc.nat(3).map((keepTurns) => named(`keep images of ${keepTurns} turns`, (messages) => dropImages(messages, { keepTurns }).messages)),
  fc.nat(6).map((limit) => named(`limit ${limit}`, (messages) => applyHistoryLimit(messages, limit).messages)),
  fc
    .constantFrom(200, 16_000)
    .map((toolResultMaxChars) => named("render again", (messages) => rerenderMessages(messages, { toolResultMaxChars }))),
  fc.constant(named("prune", (messages) => pruneToolResults(messages, { contextTokens: 15_000, contextWindow: 16_000 }).messages)),
  fc
    .constantFrom("image", "signature", "call_0_0 has no output", "messages.3: no")
    .map((message) => named(`quarantine (${message})`, (messages) => quarantine(messages, { message })?.messages ?? messages)),
  anyHistory.map((more) => named("go on", (messages) => [...messages, ...more])),
);

function abortAt(messages: readonly AgentMessage[], index: number): readonly AgentMessage[] {
  const message = messages[index];
  return message?.role === "assistant" ? messages.with(index, { ...message, stopReason: "aborted" }) : messages;
}

test("keeps a history sendable after any sequence of changes", () => {
  const now = turn("and now?");
  fc.assert(
    fc.property(anyHistory, fc.array(anyChange, { maxLength: 6 }), (history, changes) => {
      let messages = history;
      const faults: string[] = [];
      const check = (after: string): void => {
        const projected = projectMessages([...messages, now]);
        for (const fault of sendableFaults(projected)) faults.push(`${after}: ${fault}`);
        if (projected.at(-1) !== now) faults.push(`${after}: the new turn is not the last message`);
        const again = projectMessages(projected);
        if (again.length !== projected.length || again.some((message, index) => message !== projected[index]))
          faults.push(`${after}: not settled`);
      };
      check("as stored");
      for (const { name, change } of changes) {
        messages = change(messages);
        check(name);
      }
      expect(faults).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
