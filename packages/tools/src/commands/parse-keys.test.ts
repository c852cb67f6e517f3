import fc from "fast-check";
import { expect, test } from "vitest";
import { KEY_NAMES, parseKeys } from "./parse-keys.ts";

test.each([
  [["Enter"], "\r"],
  [["enter", "TAB", "s-tab"], "\r\t\u001b[Z"],
  [["C-c"], "\u0003"],
  [["C-C", "C-d", "C-["], "\u0003\u0004\u001b"],
  [["Up", "Down", "Right", "Left"], "\u001b[A\u001b[B\u001b[C\u001b[D"],
  [["M-x"], "\u001bx"],
  [["y", "Space", "é", "👍"], "y é👍"],
  [["F1", "F12", "Escape", "Backspace"], "\u001bOP\u001b[24~\u001b\u007f"],
  [[], ""],
])("%j sends %j", (keys, text) => {
  expect(parseKeys(keys)).toEqual({ type: "bytes", text });
});

test.each([["Entr"], ["C-é"], ["C-"], ["M-ab"], [""], ["hello"], ["constructor"]])("there is no key %j", (key) => {
  expect(parseKeys(["Enter", key])).toEqual({ type: "unknown", key });
});

test("keys are sent in order, whatever they are", () => {
  const key = fc.oneof(
    fc.constantFrom(...KEY_NAMES),
    fc.stringMatching(/^C-[a-z]$/),
    fc.stringMatching(/^M-[a-z]$/),
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      const alone = keys.map((one) => parseKeys([one]));
      const text = alone.map((one) => (one.type === "bytes" ? one.text : expect.unreachable())).join("");
      expect(parseKeys(keys)).toEqual({ type: "bytes", text });
    }),
  );
});
