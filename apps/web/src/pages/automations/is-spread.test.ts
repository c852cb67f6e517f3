import { expect, test } from "vitest";
import { isSpread } from "./is-spread.ts";

test("tasks of the full hour begin up to five minutes later, and nothing else does", () => {
  for (const cron of ["0 8 * * *", "0 0 8 * * *", "*/30 * * * *", "0,30 8 * * *"]) {
    expect(isSpread({ type: "cron", cron }, "agentTurn")).toBe(true);
    expect(isSpread({ type: "cron", cron, exact: true }, "agentTurn")).toBe(false);
    expect(isSpread({ type: "cron", cron }, "command")).toBe(false);
  }
  for (const cron of ["3 8 * * *", "*/2 * * * *", "* * * * *"]) expect(isSpread({ type: "cron", cron }, "agentTurn")).toBe(false);
  expect(isSpread({ type: "every", every: "1h" }, "agentTurn")).toBe(false);
  expect(isSpread(undefined, "agentTurn")).toBe(false);
});
