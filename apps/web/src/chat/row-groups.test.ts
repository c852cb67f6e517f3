import fc from "fast-check";
import { expect, test } from "vitest";
import { RowGroups } from "./row-groups.ts";

const rowsOf = (first: number, last: number) => Array.from({ length: last - first }, (_, index) => ({ key: String(first + index) }));

test("keeps every row in its group while older and newer rows are added", () => {
  const additions = fc.array(fc.record({ before: fc.nat(40), after: fc.nat(40) }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.nat(40), additions, (start, steps) => {
      const groups = new RowGroups();
      const groupOf = new Map<string, number>();
      let [first, last] = [0, start];
      for (const { before, after } of [{ before: 0, after: 1 }, ...steps]) {
        [first, last] = [first - before, last + after];
        const rows = rowsOf(first, last);
        const divided = groups.divide(rows);
        expect(divided.flatMap((group) => group.rows)).toEqual(rows);
        expect(divided.every((group) => group.rows.length <= 12)).toBe(true);
        for (const group of divided) {
          for (const { key } of group.rows) {
            expect(groupOf.get(key) ?? group.key).toBe(group.key);
            groupOf.set(key, group.key);
          }
        }
      }
      expect(groups.divide(rowsOf(first, last)).length).toBeLessThanOrEqual(Math.ceil((last - first) / 12) + 1);
    }),
  );
});

test("keeps rows in their order when they change places or disappear, and starts again with other rows", () => {
  const groups = new RowGroups();
  groups.divide(rowsOf(0, 30));
  const moved = [...rowsOf(20, 25), ...rowsOf(0, 10), ...rowsOf(25, 30)];
  expect(groups.divide(moved).flatMap((group) => group.rows)).toEqual(moved);
  expect(groups.divide(rowsOf(100, 130)).map((group) => group.rows.length)).toEqual([12, 12, 6]);
  expect(groups.divide([])).toEqual([]);
});
