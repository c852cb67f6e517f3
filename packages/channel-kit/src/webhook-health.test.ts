import { expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createWebhookHealth } from "./index.ts";

const UNPROVEN = { status: 401, reason: "the signature is missing", signed: false } as const;
const SIGNED = { status: 401, reason: "too old", signed: true } as const;

test("requests without proof are a hint until the platform has sent a verified one, and logged once until then", () => {
  const host = createTestHost();
  const health = createWebhookHealth(host, { hint: "check the address" });
  expect(health.read()).toEqual({ state: "starting", detail: "no verified request since the start; check the address" });
  for (let count = 0; count < 3; count += 1) health.recordRefused(UNPROVEN);
  expect(health.read()).toEqual({ state: "starting", detail: "no verified request since the start; 3 refused: the signature is missing" });
  expect(host.logged).toEqual([["warn", "webhook request refused", { status: 401, reason: "the signature is missing" }]]);
  host.clock.advance(7);
  health.recordVerified();
  health.recordRefused(UNPROVEN);
  expect(health.read()).toEqual({ state: "connected", evidenceAtMs: 7 });
  expect(host.logged).toHaveLength(2);
});

test("a signed request that is refused is a problem until it is removed, and logged each time", () => {
  const host = createTestHost();
  const health = createWebhookHealth(host, { hint: "check the address" });
  health.recordVerified();
  for (let count = 0; count < 2; count += 1) health.recordRefused(SIGNED);
  expect(health.read()).toEqual({ state: "degraded", evidenceAtMs: 0, detail: "a request was refused: too old" });
  expect(host.logged).toHaveLength(2);
  health.setTrouble(undefined);
  expect(health.read()).toEqual({ state: "connected", evidenceAtMs: 0 });
});
