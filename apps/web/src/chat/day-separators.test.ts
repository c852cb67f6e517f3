import { expect, test } from "vitest";
import type { ChatItem } from "./chat-items.ts";
import { withDaySeparators } from "./day-separators.ts";

const DAY = 86_400_000;
const dayOf = (timestampMs: number): string => String(Math.floor(timestampMs / DAY));
const user = (id: string, timestampMs: number): ChatItem => ({ type: "user", id, timestampMs, text: id, channel: "webchat" });
const tool: ChatItem = { type: "tool", id: "t", name: "exec", argumentsText: "", status: "done", output: "" };

test("inserts one separator per day, before its first row with a time", () => {
  const items = [user("a", 5), user("b", 10), tool, user("c", DAY), tool, user("d", 3 * DAY)];
  expect(withDaySeparators(items, dayOf).map(({ id }) => id)).toEqual(["day-a", "a", "b", "t", "day-c", "c", "t", "day-d", "d"]);
  expect(withDaySeparators([tool], dayOf)).toEqual([tool]);
});

test("all ids differ when an earlier day occurs again", () => {
  const ids = withDaySeparators([user("a", DAY), user("b", 0), user("c", DAY)], dayOf).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("returns the same objects for unchanged rows", () => {
  const items = [user("a", 5), user("b", DAY)];
  const [first, second] = [withDaySeparators(items, dayOf), withDaySeparators([...items, user("c", DAY + 1)], dayOf)];
  expect(first.every((row, index) => row === second[index])).toBe(true);
});
