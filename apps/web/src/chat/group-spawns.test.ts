import { expect, test } from "vitest";
import type { ChatItem, ToolStatus } from "./chat-items.ts";
import { groupSpawns } from "./group-spawns.ts";

function call(id: string, status: ToolStatus = "done", output = `{"status":"accepted","runId":"run-${id}"}`): ChatItem {
  return { type: "tool", id, name: "sessions_spawn", argumentsText: "{}", status, output };
}

const user = (id: string): ChatItem => ({ type: "user", id, timestampMs: 0, text: "Go", channel: "webchat" });
const answer = (id: string, timestampMs?: number): ChatItem => ({
  type: "answer",
  id,
  text: "x",
  live: false,
  ...(timestampMs === undefined ? {} : { timestampMs }),
});
const shape = (items: readonly ChatItem[]) =>
  items.map((item) => (item.type === "spawns" ? item.calls.map(({ runId }) => runId) : item.id));

test("the sub-agents of a turn share one row where the first was started; another turn has its own", () => {
  const items = [user("u1"), call("a"), answer("step"), call("b"), answer("end", 1), call("c"), user("u2"), call("d")];
  expect(shape(groupSpawns(items))).toEqual(["u1", ["run-a", "run-b"], "step", "end", ["run-c"], "u2", ["run-d"]]);
});

test("a call that has not started one stays a call", () => {
  const items = [call("a", "running", ""), call("b", "failed", "Rule depth"), call("c", "done", "not JSON"), call("d", "done", "null")];
  expect(groupSpawns(items)).toEqual(items);
});

test("a row stays the same object until its calls change", () => {
  const [a, b] = [call("a"), call("b")];
  const [before] = groupSpawns([a]);
  expect(groupSpawns([a])[0]).toBe(before);
  expect(groupSpawns([a, b])[0]).not.toBe(before);
  expect(groupSpawns([a, b])[0]).toMatchObject({ id: before?.id });
});
