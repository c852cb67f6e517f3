import { expect, test } from "vitest";
import { TreeBudgets } from "./tree-budgets.ts";

const NOTHING = async () => ({ tokens: 0, costUsd: 0 });
const reserved = (answer: Awaited<ReturnType<TreeBudgets["reserve"]>>) => {
  if (typeof answer === "string") throw new Error(answer);
  return answer;
};

test("calls under way count, and what they have used replaces their estimate", async () => {
  const budgets = new TreeBudgets(NOTHING);
  const tree = { id: "t", tokens: 100 };
  const one = reserved(await budgets.reserve(tree, 60));
  const other = reserved(await budgets.reserve(tree, 60));
  expect(await budgets.reserve(tree, 1)).toContain("120 of 100 tokens");
  one.settle({ total: 10 });
  other.settle({ total: 20 });
  reserved(await budgets.reserve(tree, 1)).settle({ total: 200 });
  expect(await budgets.reserve(tree, 1)).toContain("230 of 100 tokens");
});

test("money counts, trees are apart, and what was used before this process is part of it", async () => {
  const budgets = new TreeBudgets(async (id) => ({ tokens: 0, costUsd: id === "old" ? 2 : 0 }));
  expect(await budgets.reserve({ id: "old", usd: 2 }, 1)).toContain("$2.00 of $2.00");
  reserved(await budgets.reserve({ id: "new", usd: 2 }, 1)).settle({ total: 1, costUsd: 2.5 });
  expect(await budgets.reserve({ id: "new", usd: 2 }, 1)).toContain("$2.50 of $2.00");
  reserved(await budgets.reserve({ id: "third", usd: 2 }, 1));
  reserved(await budgets.reserve({ id: "old" }, 1));
});

test("a read that failed is repeated", async () => {
  let failures = 1;
  const budgets = new TreeBudgets(async () => {
    if (failures-- > 0) throw new Error("disk");
    return { tokens: 5, costUsd: 0 };
  });
  await expect(budgets.reserve({ id: "t", tokens: 5 }, 1)).rejects.toThrow("disk");
  expect(await budgets.reserve({ id: "t", tokens: 5 }, 1)).toContain("5 of 5 tokens");
});
