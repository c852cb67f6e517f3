import { RUN_KINDS } from "@factotum/agent-contract";
import type { RunKind, UserMessageParts } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { historyNotice } from "./history-notice.ts";

function noticeOf(run: RunKind | undefined, bodyType?: UserMessageParts["bodyType"]): string | undefined {
  return historyNotice({
    body: "Look.",
    systemEvents: [],
    ...(run === undefined ? {} : { run }),
    ...(bodyType === undefined ? {} : { bodyType }),
  });
}

test("what a person, another session or the parent of a sub-agent has written is shown", () => {
  expect(historyNotice(undefined)).toBeUndefined();
  expect([noticeOf(undefined), noticeOf("user"), noticeOf("a2a"), noticeOf("a2a", "media-only"), noticeOf("subagent", "task")]).toEqual(
    Array.from({ length: 5 }),
  );
});

test("the gateway's own text is not: its kind of run is named", () => {
  expect(noticeOf("a2a", "task")).toBe("A sub-agent has ended.");
  const named = RUN_KINDS.filter((kind) => noticeOf(kind, "task") !== undefined);
  expect(named.toSorted()).toEqual(["a2a", "command", "cron", "heartbeat", "hook", "memory"]);
});
