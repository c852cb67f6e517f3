import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeId, encodeId } from "./sequence-id.ts";

const sequences = fc.integer({ min: 0, max: 2 ** 50 - 1 });

test("ids parse to their number and sort like it", () => {
  fc.assert(
    fc.property(sequences, sequences, (a, b) => {
      expect(decodeId("e", encodeId("e", a))).toBe(a);
      expect(encodeId("e", a) < encodeId("e", b)).toBe(a < b);
    }),
  );
});

test.each(["", "e", "e000000000", "e00000000000", "o0000000001", "e000000000i", "E0000000001"])("%j is no id of an entry", (id) => {
  expect(decodeId("e", id)).toBeUndefined();
});
