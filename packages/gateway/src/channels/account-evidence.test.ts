import { expect, test } from "vitest";
import { AccountEvidence } from "./account-evidence.ts";

const ACCOUNT = { channel: "test", accountId: "default" };

test("a state counts from the first look at it, and what was wrong stays known when it is over", () => {
  const evidence = new AccountEvidence();
  const broken = { ...ACCOUNT, state: "disconnected", detail: "no route" } as const;
  const well = { ...ACCOUNT, state: "connected" } as const;
  expect(evidence.addTo(well, 1)).toEqual({ ...well, sinceMs: 1 });
  expect(evidence.addTo(broken, 5)).toEqual({ ...broken, sinceMs: 5, lastProblem: { text: "no route", atMs: 5 } });
  expect(evidence.addTo(broken, 7)).toMatchObject({ sinceMs: 5, lastProblem: { atMs: 5 } });
  evidence.received(8);
  expect(evidence.addTo(well, 9)).toEqual({ ...well, sinceMs: 9, lastInboundAtMs: 8, lastProblem: { text: "no route", atMs: 5 } });
});
