import fc from "fast-check";
import { expect, test } from "vitest";
import { CappedOutput, NO_REDACTION } from "./capped-output.ts";

const MARK = /\n\[… (\d+) bytes of output left out …\]\n/;

test("keeps everything up to the cap, byte for byte", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (chunks) => {
      const text = chunks.join("");
      const output = new CappedOutput(Math.max(8, Buffer.byteLength(text)));
      for (const chunk of chunks) output.append(chunk);
      expect(output.toString()).toBe(text);
    }),
  );
});

test("beyond the cap the beginning and the end stay, the count is right and no character is split", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "bc\n", "é", "漢字", "😀", "x".repeat(30)), { minLength: 41 }),
      fc.integer({ min: 8, max: 40 }),
      // The reserve for secrets does not reduce the visible output.
      fc.constantFrom(0, 30),
      (chunks, maxBytes, maxSecretChars) => {
        const text = chunks.join("");
        fc.pre(Buffer.byteLength(text) > maxBytes);
        const output = new CappedOutput(maxBytes, { ...NO_REDACTION, maxSecretChars });
        for (const chunk of chunks) output.append(chunk);
        const shown = output.toString();
        const match = MARK.exec(shown);
        expect(match).not.toBeNull();
        const head = shown.slice(0, match?.index);
        const tail = shown.slice((match?.index ?? 0) + (match?.[0].length ?? 0));
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
        expect(kept).toBeLessThanOrEqual(maxBytes);
        expect(kept).toBeGreaterThan(maxBytes - 7);
        expect(Number(match?.[1])).toBe(Buffer.byteLength(text) - kept);
      },
    ),
  );
});

test("a flood uses bounded memory", () => {
  const output = new CappedOutput(1_000);
  for (let index = 0; index < 100_000; index += 1) output.append("0123456789\n");
  expect(Buffer.byteLength(output.toString())).toBeLessThan(1_100);
});
