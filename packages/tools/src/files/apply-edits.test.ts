import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits, type Edit } from "./apply-edits.ts";

const edited = (text: string, ...edits: Edit[]): string => {
  const outcome = applyEdits(text, edits);
  if (outcome.type === "refused") throw new Error(outcome.message);
  return outcome.text;
};
const refused = (text: string, ...edits: Edit[]): string => {
  const outcome = applyEdits(text, edits);
  if (outcome.type === "edited") throw new Error("It was edited.");
  return outcome.message;
};

describe("a replacement", () => {
  test("is literal: no pattern, no replacement codes", () => {
    expect(edited("a.c $& a*c", { oldText: "a*c", newText: "$& $1 $$" })).toBe("a.c $& $& $1 $$");
  });

  test("must match once, unless all are meant", () => {
    expect(refused("x\ny\nx\n", { oldText: "x", newText: "z" })).toBe(
      "oldText was found 2 times (lines 1, 3); add lines around it, or set replaceAll.",
    );
    expect(edited("x\ny\nx\n", { oldText: "x", newText: "z", replaceAll: true })).toBe("z\ny\nz\n");
    expect(applyEdits("x x", [{ oldText: "x", newText: "z", replaceAll: true }])).toMatchObject({ replacements: 2 });
  });

  test("applies after the previous one", () => {
    expect(edited("one", { oldText: "one", newText: "two" }, { oldText: "two", newText: "three" })).toBe("three");
  });

  test("all or none", () => {
    expect(
      applyEdits("a b", [
        { oldText: "a", newText: "x" },
        { oldText: "c", newText: "y" },
      ]),
    ).toMatchObject({ type: "refused", index: 1 });
  });

  test("without a change is an error", () => {
    expect(refused("a", { oldText: "a", newText: "a" })).toContain("the same");
  });
});

describe("line ends", () => {
  test("CRLF stays, whichever ends the edit has", () => {
    expect(edited("one\r\ntwo\r\n", { oldText: "one\ntwo", newText: "1\n2\n3" })).toBe("1\r\n2\r\n3\r\n");
    expect(edited("one\r\ntwo\r\n", { oldText: "one\r\ntwo", newText: "1\r\n2" })).toBe("1\r\n2\r\n");
    expect(edited("one\r\ntwo\r\n", { oldText: "one", newText: "1\n1" })).toBe("1\r\n1\r\ntwo\r\n");
  });

  test("mixed ends are not changed", () => {
    expect(edited("one\r\ntwo\nthree", { oldText: "two\nthree", newText: "2\n3" })).toBe("one\r\n2\n3");
  });
});

describe("no match", () => {
  test("that differs in white space shows the actual text", () => {
    const message = refused("if (a) {\n\treturn  b;\n}\n", { oldText: "if (a) {\n  return b;\n}", newText: "x" });
    expect(message).toContain("0 matches");
    expect(message).toContain("Line 1 differs in white space only; there it is:\nif (a) {\n\treturn  b;\n}");
  });

  test("with a similar start shows where", () => {
    expect(refused("a\nfunction f() {\n  one\n}\n", { oldText: "function f() {\n  two\n}", newText: "x" })).toContain(
      "2: function f() {\nbut what follows differs",
    );
  });

  test("without any similarity asks to read again", () => {
    expect(refused("abc", { oldText: "xyz", newText: "x" })).toContain("Read the file again");
  });
});

test("replacing a unique text and reverting it gives the original file", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.boolean(), (before, after, crlf) => {
      const end = crlf ? "\r\n" : "\n";
      const clean = (text: string): string => text.replace(/[\r\n]/g, " ");
      const text = `${clean(before)}${end}MARK one${end}MARK two${end}${clean(after)}`;
      fc.pre(text.split("MARK one").length === 2 && !text.includes("OTHER"));
      const there = edited(text, { oldText: "MARK one\nMARK two", newText: "OTHER\nthree" });
      expect(there).not.toContain("MARK one");
      expect(edited(there, { oldText: "OTHER\nthree", newText: "MARK one\nMARK two" })).toBe(text);
    }),
  );
});
