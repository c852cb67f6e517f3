import { expect, test } from "vitest";
import { connectionHealth } from "./index.ts";
import type { ConnectionState } from "./index.ts";

const failure = new Error("the platform closed the connection");

test.each<[ConnectionState, Error | undefined, object]>([
  ["idle", undefined, { state: "starting" }],
  ["connecting", undefined, { state: "starting" }],
  ["connected", undefined, { state: "connected" }],
  ["waiting", failure, { state: "disconnected", detail: failure.message }],
  ["connecting", failure, { state: "disconnected", detail: failure.message }],
  ["idle", failure, { state: "disconnected", detail: failure.message }],
  ["stopped", failure, { state: "stopped" }],
])("%s with the failure %s", (state, why, health) => {
  expect(connectionHealth({ state, failure: why })).toEqual(health);
  expect(connectionHealth({ state, failure: why }, { evidenceAtMs: 5 })).toEqual({ ...health, evidenceAtMs: 5 });
});

test("an open connection that lacks something is degraded", () => {
  expect(connectionHealth({ state: "connected", failure: undefined }, { missing: "#room is closed" })).toEqual({
    state: "degraded",
    detail: "#room is closed",
  });
});
