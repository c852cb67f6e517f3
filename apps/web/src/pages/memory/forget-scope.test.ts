import { expect, test } from "vitest";
import { forgetScope, NEW_DRAFT } from "./forget-scope.ts";

test("an incomplete form names no scope to forget", () => {
  const incomplete = [
    NEW_DRAFT,
    { ...NEW_DRAFT, text: " x " },
    { ...NEW_DRAFT, by: "session" as const },
    { ...NEW_DRAFT, by: "span" as const },
    { ...NEW_DRAFT, by: "span" as const, from: "2026-01-02T10:00", until: "2026-01-02T10:00" },
  ];
  for (const draft of incomplete) expect(forgetScope(draft)).toBeUndefined();
});

test("a text, a time and a conversation can each be forgotten", () => {
  expect(forgetScope({ ...NEW_DRAFT, text: " 乌龙 " })).toEqual({ type: "search", text: "乌龙" });
  expect(forgetScope({ ...NEW_DRAFT, by: "session", sessionKey: "agent:main:main" })).toEqual({
    type: "session",
    sessionKey: "agent:main:main",
  });
  const from = "2026-01-02T10:00";
  expect(forgetScope({ ...NEW_DRAFT, by: "span", from })).toEqual({ type: "span", fromMs: Date.parse(from) });
  const until = "2026-01-02T11:00";
  expect(forgetScope({ ...NEW_DRAFT, by: "span", from, until })).toMatchObject({ toMs: Date.parse(until) });
});
