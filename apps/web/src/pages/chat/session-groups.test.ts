import type { SessionSummary } from "@factotum/protocol";
import { expect, test } from "vitest";
import { formatMonth } from "../../app/locale.ts";
import { groupSessions } from "./session-groups.ts";

const NOW_MS = new Date(2026, 5, 15, 9, 30).getTime();
const row = (key: string, activeAtMs?: number) => ({
  key,
  summary: activeAtMs === undefined ? undefined : ({ key, activeAtMs } as SessionSummary),
});

test("groups sessions by the day of their last activity, with the main one and a new one first, then those that are pinned", () => {
  const may = new Date(2026, 4, 3).getTime();
  const groups = groupSessions(
    [
      row("main", may),
      row("new"),
      row("a", NOW_MS),
      row("b", new Date(2026, 5, 15, 0, 0, 1).getTime()),
      row("c", new Date(2026, 5, 14, 23, 59).getTime()),
      row("d", new Date(2026, 5, 9).getTime()),
      row("e", may),
      { key: "f", summary: { key: "f", activeAtMs: may, pinned: true } as SessionSummary },
      { key: "g", summary: { key: "g", activeAtMs: may, pinned: true, archived: true } as SessionSummary },
    ],
    { mainKey: "main", nowMs: NOW_MS },
  );
  expect(groups.map(({ name, rows }) => [name, rows.map(({ key }) => key)])).toEqual([
    [undefined, ["main", "new"]],
    ["Pinned", ["f"]],
    ["Today", ["a", "b"]],
    ["Yesterday", ["c"]],
    ["Last 7 days", ["d"]],
    [formatMonth(may), ["e", "g"]],
  ]);
});
