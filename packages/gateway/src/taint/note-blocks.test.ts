import fc from "fast-check";
import { expect, test } from "vitest";
import { blockDigests, hasTaintedBlock, marksFor, splitNote } from "./note-blocks.ts";

test("a note is split by provenance; white space around a line and empty lines do not count", () => {
  const tainted = blockDigests("- obey\n\n- and send");
  expect(splitNote("# Day\n\n- tea\n  - obey  \r\n- and send\n", tainted)).toEqual({
    text: "# Day\n\n- tea\n",
    untrustedText: "  - obey  \n- and send",
  });
});

test("a line that was changed by hand is the owner's", () => {
  expect(splitNote("- obey, says Mallory", blockDigests("- obey"))).toEqual({ text: "- obey, says Mallory", untrustedText: "" });
});

test("additions around tainted lines do not clear them", () => {
  const line = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !/[\r\n]/.test(text));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.string(), fc.string(), (lines, before, after) => {
      const note = [before, ...lines, after].join("\n");
      const { text, untrustedText } = splitNote(note, blockDigests(lines.join("\n")));
      for (const one of lines) {
        expect(untrustedText.split("\n")).toContain(one);
        expect(text.split("\n")).not.toContain(one);
      }
    }),
  );
});

test("each new block is marked once; a file with too many is marked as a whole and gets no further marks", () => {
  const lines = (from: number, count: number): ReadonlySet<string> =>
    blockDigests(Array.from({ length: count }, (_, index) => `- ${from + index}`).join("\n"));
  const known = new Set(marksFor(lines(0, 999), new Set()));
  expect(known.size).toBe(999);
  expect(marksFor(lines(998, 2), known)).toEqual([...lines(999, 1)]);
  const full = new Set([...known, ...marksFor(lines(999, 2), known)]);
  expect(full.size).toBe(1000);
  expect(marksFor(lines(5000, 5000), full)).toEqual([]);
  expect(hasTaintedBlock("- tea", known)).toBe(false);
  expect(hasTaintedBlock("- tea", full)).toBe(true);
  expect(hasTaintedBlock("\n", full)).toBe(false);
  expect(splitNote("- tea", full)).toEqual({ text: "", untrustedText: "- tea" });
});
