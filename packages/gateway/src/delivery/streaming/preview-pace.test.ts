import { expect, test } from "vitest";
import { PreviewPace } from "./preview-pace.ts";
import { previewText, progressText } from "./preview-text.ts";

const accepted = { type: "accepted", messageIds: [] } as const;

test("edits come once a second, less often as they run out, and one is reserved for the final text", () => {
  const pace = new PreviewPace({ maxPerMessage: 20 }, () => 0);
  const delays: number[] = [];
  for (; !pace.isSpent; pace.record(accepted)) delays.push(pace.delayMs());
  // One message and nineteen edits.
  expect(delays).toHaveLength(20);
  expect([delays[0], delays[4], delays[5], delays[10], delays[15]]).toEqual([1_000, 1_000, 2_000, 4_000, 8_000]);
});

test("respects the platform's own interval and delays", () => {
  const pace = new PreviewPace({ minIntervalMs: 3_000 }, () => 0);
  expect(pace.delayMs()).toBe(3_000);
  pace.record({ type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 30_000 } });
  expect(pace.delayMs()).toBe(30_000);
  const unknown = new PreviewPace({}, () => 0);
  unknown.record({ type: "rejected", code: "rate-limited", retry: { type: "backoff" } });
  expect(unknown.delayMs()).toBe(2_000);
  expect(unknown.isSpent).toBe(false);
});

test("a preview shows what fits into one message, closes open markup, and returns how much it shows", () => {
  const limits = { maxLength: 100 };
  expect(previewText("Some words", { mode: "partial", limits })).toEqual({ text: "Some words", end: 10 });
  expect(previewText("```js\nlet a", { mode: "partial", limits })?.text).toBe("```js\nlet a\n```");
  const long = previewText(`${"a".repeat(60)}\n\n${"b".repeat(60)}`, { mode: "partial", limits });
  expect(long).toEqual({ text: "a".repeat(60), end: 62 });
  expect(previewText("Some words\nand", { mode: "block", limits })).toBeUndefined();
  expect(previewText(`${"a".repeat(250)}\nand`, { mode: "block", limits: { maxLength: 1_000 } })?.text).toBe("a".repeat(250));
  expect(previewText("", { mode: "partial", limits })).toBeUndefined();
});

test("of many tool calls the newest are shown", () => {
  const lines = Array.from({ length: 10 }, (_, index) => `• tool ${index}`);
  expect(progressText(lines)).toBe(["… 2 more", ...lines.slice(2)].join("\n"));
});
