import fc from "fast-check";
import { expect, test } from "vitest";
import { asks, says, toolResult, turn } from "../../test/histories.ts";
import { applyHistoryLimit } from "./apply-history-limit.ts";

const TURNS = Array.from({ length: 60 }, (_, index) => [turn(`${index + 1}`), asks("a"), toolResult("a"), says("x")]).flat();
const turns = (count: number) => TURNS.slice(0, count * 4);
const bodies = (count: number, limit: number | undefined): string[] =>
  applyHistoryLimit(turns(count), limit).messages.flatMap((message) => (message.role === "user" ? [message.parts?.body ?? ""] : []));

test.each([
  [4, 4, ["1", "2", "3", "4"]],
  [5, 4, ["4", "5"]],
  [7, 4, ["4", "5", "6", "7"]],
  [8, 4, ["7", "8"]],
  [3, 1, ["3"]],
  [3, 0, ["1", "2", "3"]],
  [2, undefined, ["1", "2"]],
])("keeps of %i turns with limit %s the turns %j", (count, limit, expected) => {
  expect(bodies(count, limit)).toEqual(expected);
});

test("never exceeds the limit, cuts whole turns, and cuts once in limit/2 turns", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60 }), (limit, most) => {
      let previous = 0;
      let moves = 0;
      for (let count = 1; count <= most; count++) {
        const { messages, droppedTurns } = applyHistoryLimit(turns(count), limit);
        const kept = count - droppedTurns;
        if (messages.length !== kept * 4 || messages[0]?.role !== "user" || kept > limit || kept < 1)
          expect.unreachable(`${kept} of ${count}`);
        if (droppedTurns !== previous) moves++;
        previous = droppedTurns;
      }
      expect(moves).toBeLessThanOrEqual(Math.ceil(most / Math.max(1, limit / 2)));
    }),
    { numRuns: 100 },
  );
});
