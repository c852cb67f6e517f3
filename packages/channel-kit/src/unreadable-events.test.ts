import { expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createUnreadableEvents } from "./index.ts";

test("counts lost messages in the log and in the health, except of a stopped channel", () => {
  const host = createTestHost();
  const unreadable = createUnreadableEvents(host);
  expect(unreadable.addTo({ state: "connected" })).toEqual({ state: "connected" });
  unreadable.record("ts: missing");
  expect(unreadable.addTo({ state: "connected" }).detail).toBe("1 message could not be read and is lost; see the log");
  unreadable.record("ts: missing");
  expect(unreadable.addTo({ state: "degraded", detail: "slow" })).toEqual({
    state: "degraded",
    detail: "slow; 2 messages could not be read and are lost; see the log",
  });
  expect(unreadable.addTo({ state: "stopped" })).toEqual({ state: "stopped" });
  expect(host.logged).toEqual([
    ["warn", "message lost: its event cannot be read", { reason: "ts: missing", count: 1 }],
    ["warn", "message lost: its event cannot be read", { reason: "ts: missing", count: 2 }],
  ]);
});
