import type { ChannelHealth } from "@factotum/channel-contract";
import type { ConnectionSupervisor, SupervisedConnection } from "./connection-supervisor.ts";

/** What the platform has shown of itself. */
export interface ConnectionEvidence {
  /** When something last arrived from the platform, in milliseconds since the epoch. */
  readonly evidenceAtMs?: number | undefined;
  /** What an open connection lacks, for people: the account is degraded. */
  readonly missing?: string | undefined;
}

/** The health of an account by the state of its supervisor. While there is no connection after a failure, the detail is its message. */
export function connectionHealth(
  { state, failure }: Pick<ConnectionSupervisor<SupervisedConnection>, "state" | "failure">,
  { evidenceAtMs, missing }: ConnectionEvidence = {},
): ChannelHealth {
  const evidence = evidenceAtMs === undefined ? {} : { evidenceAtMs };
  switch (state) {
    case "stopped":
      return { state: "stopped", ...evidence };
    case "connected":
      return missing === undefined ? { state: "connected", ...evidence } : { state: "degraded", ...evidence, detail: missing };
    case "idle":
    case "connecting":
    case "waiting":
      if (failure !== undefined) return { state: "disconnected", ...evidence, detail: failure.message };
      return { state: state === "waiting" ? "disconnected" : "starting", ...evidence };
  }
}
