import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capContent, truncateToolResult } from "./truncate-tool-result.ts";

describe("truncateToolResult", () => {
  test("leaves what fits", () => {
    expect(truncateToolResult("x".repeat(500), 500)).toBe("x".repeat(500));
  });

  test("keeps the head and says what was removed", () => {
    const cut = truncateToolResult(`begin ${"x".repeat(200_000)}`, 1_000);
    const kept = /^(begin x+)\n\[([\d,]+) of 200,006 characters cut\. Ask for less at a time: [^\]]+\]$/.exec(cut);
    expect(kept).not.toBeNull();
    expect(Number(kept?.[2]?.replaceAll(",", ""))).toBe(200_006 - (kept?.[1]?.length ?? 0));
  });

  test.each(["Error: disk full", "Tests: 3 failed, 20 passed", '{"done":true}\n', "]", "合计 20 个文件"])(
    "keeps a tail like %j too",
    (tail) => {
      const cut = truncateToolResult(`begin\n${"x ".repeat(20_000)}${tail}`, 2_000);
      expect(cut.startsWith("begin\n")).toBe(true);
      expect(cut).toContain(`${tail}\n[`);
      const [head = "", rest = ""] = cut.split("\n[… middle left out …]\n");
      expect(head.length / (head.length + (rest.split("\n[")[0]?.length ?? 0))).toBeCloseTo(0.7, 1);
    },
  );

  test.each([0, 1, 2, 3])("splits no surrogate pair at limit 600 + %i", (more) => {
    expect(truncateToolResult("😀".repeat(1_000), 600 + more).isWellFormed()).toBe(true);
    expect(truncateToolResult(`${"😀".repeat(1_000)} error`, 600 + more).isWellFormed()).toBe(true);
    expect(truncateToolResult(`x${"😀".repeat(1_000)} failed`, 600 + more).isWellFormed()).toBe(true);
  });

  test("never exceeds the limit and never splits a surrogate pair", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 }),
        fc.integer({ min: 130, max: 600 }),
        fc.boolean(),
        (piece, limit, tail) => {
          const text = `${piece.repeat(5)}${tail ? " error" : " nothing"}`;
          const cut = truncateToolResult(text, limit);
          expect(cut.length).toBeLessThanOrEqual(limit);
          expect(cut.isWellFormed()).toBe(true);
          expect(truncateToolResult(cut, limit)).toBe(cut);
          if (text.length > limit) {
            const missing = Number((/\n\[([\d,]+) of [\d,]+ characters cut/.exec(cut)?.[1] ?? "").replaceAll(",", ""));
            const kept = cut.replace("\n[… middle left out …]\n", "").replace(/\n\[[\d,]+ of [\d,]+ characters cut[^\n]*$/, "");
            expect(kept.length + missing).toBe(text.length);
          }
        },
      ),
    );
  });
});

describe("capContent", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;

  test("returns content that fits unchanged", () => {
    const content = [{ type: "text", text: "a" } as const, image, { type: "text", text: "b" } as const];
    expect(capContent(content, 2)).toBe(content);
  });

  test("joins several texts that are too long together into one, and keeps images", () => {
    const long = { type: "text", text: "x".repeat(400) } as const;
    const [first, second, ...others] = capContent([long, image, long], 600);
    expect(first?.type === "text" && first.text.length).toBeLessThanOrEqual(600);
    expect(second).toBe(image);
    expect(others).toEqual([]);
  });
});
