import type { SessionSummary } from "@factotum/protocol";
import { expect, test } from "vitest";
import { relativeTime } from "../../ui/relative-time.ts";
import { orderSessions } from "./session-list.tsx";

const summary = (key: string) => ({ key }) as SessionSummary;
const keysOf = (keys: string[], main: string | undefined, open: string | undefined) =>
  orderSessions(keys.map(summary), main, open).map((row) => row.key);

test("the main session is first, also before its first message; a new chat is second", () => {
  expect(keysOf(["b", "main", "a"], "main", "b")).toEqual(["main", "b", "a"]);
  expect(keysOf(["b"], "main", "new")).toEqual(["main", "new", "b"]);
  expect(keysOf([], "main", "main")).toEqual(["main"]);
  expect(keysOf(["b"], undefined, undefined)).toEqual(["b"]);
});

test("times are shown in the largest unit that fits", () => {
  const nowMs = Date.UTC(2026, 0, 31);
  expect([0, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 5 * 86_400_000].map((agoMs) => relativeTime(nowMs - agoMs, nowMs))).toEqual([
    "just now",
    "just now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "yesterday",
    "5 days ago",
  ]);
});
