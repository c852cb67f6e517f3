import type { JobSummary } from "@factotum/protocol";
import { expect, test } from "vitest";
import { nextRuns } from "./next-runs.ts";

function job(id: string, more: Partial<JobSummary> & { readonly enabled?: boolean }): JobSummary {
  const { enabled, ...state } = more;
  return {
    id,
    agentId: "main",
    createdAtMs: 0,
    createdIn: "agent:main:main",
    failures: 0,
    spec: {
      name: id,
      schedule: { type: "every", every: "1h" },
      payload: { type: "message", text: "x" },
      ...(enabled !== undefined && { enabled }),
    },
    ...state,
  };
}

test("lists what will run, soonest first, and nothing that is switched off or over", () => {
  const jobs = [
    job("late", { nextAtMs: 300 }),
    job("soon", { nextAtMs: 100, enabled: true }),
    job("over", {}),
    job("off", { nextAtMs: 50, enabled: false }),
    job("given up", { nextAtMs: 60, disabledBecause: "It failed five times." }),
  ];
  const runs = nextRuns(jobs, [{ agentId: "main", nextAtMs: 200 }, { agentId: "other" }]);
  expect(runs.map(({ name, atMs }) => `${name ?? "heartbeat"} ${atMs}`)).toEqual(["soon 100", "heartbeat 200", "late 300"]);
});
