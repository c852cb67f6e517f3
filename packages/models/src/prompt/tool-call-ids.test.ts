import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMON_IDS, createToolCallIdMap, MISTRAL_IDS } from "./tool-call-ids.ts";

describe.each([
  ["common", COMMON_IDS],
  ["mistral", MISTRAL_IDS],
] as const)("ids, %s", (_name, rule) => {
  test("every id becomes acceptable, the same each time, and distinct from all others", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 60 })), (ids) => {
        const map = createToolCallIdMap(rule);
        const mapped = ids.map(map);
        for (const id of mapped) expect(id).toMatch(rule.accepted);
        expect(new Set(mapped).size).toBe(ids.length);
        expect(ids.map(map)).toEqual(mapped);
        expect(ids.map(createToolCallIdMap(rule))).toEqual(mapped);
      }),
    );
  });

  test("an id that equals the hash of another stays distinct", () => {
    const foreign = "functions.ls:0";
    const hash = createToolCallIdMap(rule)(foreign);
    const map = createToolCallIdMap(rule);
    expect(map(foreign)).toBe(hash);
    expect(map(hash)).not.toBe(hash);
    expect(map(hash)).toMatch(rule.accepted);
  });
});
