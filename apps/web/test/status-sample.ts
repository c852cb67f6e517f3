import type { GatewayStatus, JobSummary } from "@factotum/protocol";

/** A gateway with something of everything: an account that failed, a model that rests, settings that wait for a restart. */
export function sampleStatus(more: Partial<GatewayStatus> = {}): GatewayStatus {
  return {
    version: "1.2.3",
    pid: 1,
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4),
    url: "http://127.0.0.1:1",
    home: "/home/me/.factotum",
    config: { path: "/c.json", runningHash: "h", problems: [], needsRestart: ["gateway.port"], inactive: [], commandPolicy: [] },
    storage: { state: "ok" },
    damage: [],
    agents: [{ id: "main", name: "Robin", model: "lab/large", modelProblem: "The key of lab is refused." }],
    resting: [
      { provider: "lab", model: "large", credential: "work", reason: "rate-limited", class: "transient", untilMs: 1_800_000_000_000 },
    ],
    channels: [
      { channel: "lantern", accountId: "default", state: "connected", evidenceAtMs: Date.UTC(2026, 0, 2) },
      { channel: "beacon", accountId: "work", state: "failed", detail: "The token is not valid any longer: make another one." },
    ],
    refused: { messages: 0, senders: [] },
    pairing: { pending: [], approved: 0 },
    sessions: { total: 12, running: 0 },
    inputs: { waiting: 0, deadLettered: 2 },
    outbox: { waiting: 1, deadLettered: 0, ambiguous: 0, blocked: [] },
    schedule: {
      enabled: true,
      lateMs: 0,
      jobs: 1,
      failing: [{ id: "j1", name: "Weather", failures: 3 }],
      heartbeats: [{ agentId: "main", nextAtMs: 1_900_000_000_000 }],
    },
    usage: { totalTokens: 1_234_567, costUsd: 4.5 },
    ...more,
  };
}

/** A job that runs on 10 January 2027. */
export const SAMPLE_JOB: JobSummary = {
  id: "j1",
  agentId: "main",
  spec: { name: "Weather", schedule: { type: "every", every: "1d" }, payload: { type: "agentTurn", message: "How is the weather?" } },
  createdAtMs: 0,
  createdIn: "agent:main:main",
  nextAtMs: Date.UTC(2027, 0, 10, 7),
  failures: 3,
};
