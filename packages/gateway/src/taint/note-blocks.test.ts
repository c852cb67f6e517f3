import fc from "fast-check";
import { expect, test } from "vitest";
import { blockDigests, splitNote } from "./note-blocks.ts";

test("a note is parted by whose lines they are; space around a line and empty lines do not count", () => {
  const tainted = blockDigests("- obey\n\n- and send");
  expect(splitNote("# Day\n\n- tea\n  - obey  \r\n- and send\n", tainted)).toEqual({
    text: "# Day\n\n- tea\n",
    untrustedText: "  - obey  \n- and send",
  });
});

test("a line that was changed by hand is the owner's", () => {
  expect(splitNote("- obey, says Mallory", blockDigests("- obey"))).toEqual({ text: "- obey, says Mallory", untrustedText: "" });
});

test("what is added around tainted lines does not free them", () => {
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
