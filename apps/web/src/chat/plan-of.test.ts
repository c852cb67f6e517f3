import { expect, test } from "vitest";
import { withoutOldPlans } from "./chat-items.ts";
import type { ChatItem, ToolItem } from "./chat-items.ts";
import { planOf } from "./plan-of.ts";

const call = (id: string, args: unknown, more: Partial<ToolItem> = {}): ToolItem => ({
  type: "tool",
  id,
  name: "update_plan",
  argumentsText: typeof args === "string" ? args : JSON.stringify(args),
  status: "done",
  output: "",
  ...more,
});
const plan = { plan: [{ step: "Read", status: "completed" }] };
const said = (id: string): ChatItem => ({ type: "user", id, timestampMs: 0, text: "hi", channel: "webchat" });

test("reads the steps of a call", () => {
  expect(planOf(call("1", plan))).toEqual([{ step: "Read", status: "completed" }]);
});

test.each([
  ["another tool", call("1", plan, { name: "read" })],
  ["a refused call", call("1", plan, { status: "failed" })],
  ["truncated arguments", call("1", '{"plan":[{"st')],
  ["no plan", call("1", {})],
  ["no steps", call("1", { plan: [] })],
  ["an unknown status", call("1", { plan: [{ step: "Read", status: "done" }] })],
  ["a step without text", call("1", { plan: [{ status: "pending" }] })],
])("%s is shown as a call", (_name, item) => {
  expect(planOf(item)).toBeUndefined();
});

test("only the newest plan of a turn is shown", () => {
  const other = call("3", plan, { name: "read" });
  const items = [said("a"), call("1", plan), call("2", plan), other, said("b"), call("4", plan)];
  expect(withoutOldPlans(items).map(({ id }) => id)).toEqual(["a", "2", "3", "b", "4"]);
  expect(withoutOldPlans([other])).toEqual([other]);
});
