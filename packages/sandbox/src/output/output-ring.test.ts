import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputRing } from "./output-ring.ts";

const never = { signal: new AbortController().signal };

test("keeps the newest bytes in whole characters, whatever the pieces", () => {
  fc.assert(
    fc.property(
      // Without the character that stands for a cut one.
      fc.array(
        fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replaceAll("\ufffd", "?")),
        { maxLength: 60 },
      ),
      fc.integer({ min: 16, max: 200 }),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 4, max: 300 }),
      (pieces, maxBytes, offset, count) => {
        const ring = new OutputRing(() => maxBytes);
        for (const piece of pieces) ring.append(piece);
        const whole = Buffer.from(pieces.join(""));
        expect(ring.length).toBe(whole.length);
        expect(ring.usedBytes).toBeLessThanOrEqual(maxBytes);
        const part = ring.read(offset, count);
        // The text is exactly those bytes of the whole, and no character is cut.
        expect(part.text).toBe(whole.subarray(part.offset, part.next).toString("utf8"));
        expect(part.text).not.toContain("\ufffd");
        expect(part.next - part.offset).toBeLessThanOrEqual(count);
        // At most the rest of one character is skipped.
        const first = Math.min(Math.max(offset, whole.length - maxBytes), whole.length);
        expect(part.offset - first).toBeGreaterThanOrEqual(0);
        expect(part.offset - first).toBeLessThanOrEqual(3);
        expect(part.next).toBeGreaterThan(Math.min(part.offset + count, whole.length) - 4);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("reading page by page gives everything that is kept, once", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 40 }), fc.integer({ min: 4, max: 50 }), (pieces, page) => {
      const ring = new OutputRing(() => 64);
      for (const piece of pieces) ring.append(piece);
      let text = "";
      const { offset } = ring.read(0, page);
      for (let at = offset; at < ring.length;) {
        const part = ring.read(at, page);
        expect(part.offset).toBe(at);
        expect(part.next).toBeGreaterThan(at);
        text += part.text;
        at = part.next;
      }
      expect(Buffer.from(pieces.join("")).subarray(offset).toString("utf8")).toBe(text);
    }),
  );
});

test("drops the oldest output when it may hold less, and when the command ends", () => {
  let maxBytes = 100;
  const ring = new OutputRing(() => maxBytes);
  ring.append("a".repeat(90));
  maxBytes = 20;
  ring.append("b".repeat(5));
  expect(ring.read(0, 1_000)).toEqual({ text: `${"a".repeat(15)}bbbbb`, offset: 75, next: 95 });
  ring.end(8);
  expect(ring.read(0, 1_000)).toEqual({ text: "aaabbbbb", offset: 87, next: 95 });
  expect(ring.usedBytes).toBe(8);
});

test("says when there is more, when nothing follows, and when nobody waits any more", async () => {
  const ring = new OutputRing(() => 100);
  const more = ring.changed(0, never);
  ring.append("x");
  expect(await more).toBe(true);
  expect(await ring.changed(0, never)).toBe(true);
  const abort = new AbortController();
  const stopped = ring.changed(1, abort);
  abort.abort();
  expect(await stopped).toBe(false);
  const ended = ring.changed(1, never);
  ring.end(100);
  expect(await ended).toBe(false);
  expect(await ring.changed(1, never)).toBe(false);
});

test("counts skipped output, and continues after it", () => {
  const late = ["two"];
  const ring: OutputRing = new OutputRing(
    () => 100,
    () => ring.append(late.shift() ?? ""),
  );
  ring.append("one");
  ring.skip(1_000);
  expect(ring.length).toBe(1_006);
  expect(ring.read(0, 100)).toEqual({ text: "two", offset: 1_003, next: 1_006 });
});
