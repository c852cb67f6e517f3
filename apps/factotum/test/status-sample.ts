import type { GatewayStatus } from "@factotum/protocol";

/** The status of an idle gateway, with changes. */
export function statusSample(changes: Partial<GatewayStatus> = {}): GatewayStatus {
  return {
    version: "0.0.0-test",
    pid: process.pid,
    startedAtMs: 0,
    url: "http://127.0.0.1:1",
    home: "/home",
    config: { path: "/home/factotum.json5", runningHash: "", problems: [], needsRestart: [], inactive: [], commandPolicy: [] },
    storage: { state: "ok" },
    damage: [],
    agents: [],
    resting: [],
    schedule: { enabled: true, lateMs: 0, jobs: 0, failing: [], heartbeats: [] },
    channels: [],
    refused: { messages: 0, senders: [] },
    pairing: { pending: [], approved: 0 },
    sessions: { total: 0, running: 0 },
    inputs: { waiting: 0, deadLettered: 0 },
    outbox: { waiting: 0, deadLettered: 0, ambiguous: 0, blocked: [] },
    usage: { totalTokens: 0 },
    ...changes,
  };
}
