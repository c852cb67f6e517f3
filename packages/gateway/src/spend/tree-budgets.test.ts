import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TreeBudgets } from "./tree-budgets.ts";

type Answer = Awaited<ReturnType<TreeBudgets["reserve"]>>;

const NOTHING = async () => ({ tokens: 0, costUsd: 0 });
const { signal } = new AbortController();
const most = (tokens: number, costUsd = 0) => ({ tokens, costUsd });
const reserved = (answer: Answer) => {
  if (typeof answer === "string") throw new Error(answer);
  return answer;
};
/** The present state of a promise, once what is ready has run. */
async function stateOf(work: Promise<unknown>): Promise<"open" | "over"> {
  let isOver = false;
  void work.finally(() => (isOver = true));
  await new Promise(setImmediate);
  return isOver ? "over" : "open";
}

test("calls run at the same time while there is room for all that they may use; then one waits for the other", async () => {
  const budgets = new TreeBudgets(NOTHING);
  const tree = { id: "t", tokens: 100 };
  const one = reserved(await budgets.reserve(tree, most(50), { signal }));
  const other = reserved(await budgets.reserve(tree, most(50), { signal }));
  const third = budgets.reserve(tree, most(5), { signal });
  expect(await stateOf(third)).toBe("open");
  one.settle({ total: 10 });
  expect(await stateOf(third)).toBe("over");
  other.settle({ total: 20 });
  reserved(await third).settle({ total: 200 });
  expect(await budgets.reserve(tree, most(1), { signal })).toContain("230 of 100 tokens");
});

test("a call that waits is refused once another one has used the budget up, and ends with its signal", async () => {
  const budgets = new TreeBudgets(NOTHING);
  const tree = { id: "t", tokens: 100 };
  const one = reserved(await budgets.reserve(tree, most(1_000), { signal }));
  const stop = new AbortController();
  const stopped = budgets.reserve(tree, most(1), { signal: stop.signal });
  const waiting = budgets.reserve(tree, most(1), { signal });
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(await stateOf(waiting)).toBe("open");
  one.settle({ total: 100 });
  expect(await waiting).toContain("100 of 100 tokens");
});

test("money counts, trees are apart, and what was used before this process is part of it", async () => {
  const budgets = new TreeBudgets(async (id) => ({ tokens: 0, costUsd: id === "old" ? 2 : 0 }));
  expect(await budgets.reserve({ id: "old", usd: 2 }, most(1), { signal })).toContain("$2.00 of $2.00");
  const call = reserved(await budgets.reserve({ id: "new", usd: 2 }, most(1, 1.5), { signal }));
  const waiting = budgets.reserve({ id: "new", usd: 2 }, most(1, 1), { signal });
  expect(await stateOf(waiting)).toBe("open");
  call.settle({ total: 1, costUsd: 2.5 });
  expect(await waiting).toContain("$2.50 of $2.00");
  reserved(await budgets.reserve({ id: "third", usd: 2 }, most(1), { signal }));
  reserved(await budgets.reserve({ id: "old" }, most(1), { signal }));
});

test("a read that failed is repeated", async () => {
  let failures = 1;
  const budgets = new TreeBudgets(async () => {
    if (failures-- > 0) throw new Error("disk");
    return { tokens: 5, costUsd: 0 };
  });
  await expect(budgets.reserve({ id: "t", tokens: 5 }, most(1), { signal })).rejects.toThrow("disk");
  expect(await budgets.reserve({ id: "t", tokens: 5 }, most(1), { signal })).toContain("5 of 5 tokens");
});

test("whatever calls run at the same time, one call at most exceeds the budget", async () => {
  const calls = fc.array(fc.record({ used: fc.nat(60), spare: fc.nat(40), endsFirst: fc.boolean() }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 1, max: 300 }), async (asked, tokens) => {
      const budgets = new TreeBudgets(NOTHING);
      const open: { readonly used: number; readonly end: () => void }[] = [];
      const used: number[] = [];
      const all = asked.map(async (call) => {
        const answer = await budgets.reserve({ id: "t", tokens }, most(call.used + call.spare), { signal });
        if (typeof answer === "string") return;
        const end = (): void => {
          used.push(call.used);
          answer.settle({ total: call.used });
        };
        open.push({ used: call.used, end });
      });
      for (const { endsFirst } of asked) {
        await new Promise(setImmediate);
        (endsFirst ? open.shift() : open.pop())?.end();
      }
      await Promise.all(all);
      for (const { end } of open) end();
      const sum = used.reduce((total, one) => total + one, 0);
      expect(sum - Math.max(0, ...used)).toBeLessThanOrEqual(tokens);
    }),
    { numRuns: 50 },
  );
});
