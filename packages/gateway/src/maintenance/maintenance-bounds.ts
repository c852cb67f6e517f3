import type { SessionConfig } from "@factotum/config";
import { withoutUndefined } from "@factotum/agent-contract";

/** How much of past conversations is kept; what is absent is no bound. */
export interface MaintenanceBounds {
  /** `warn`: nothing is removed, the log says what would be. */
  readonly mode: "enforce" | "warn";
  readonly maxAgeMs?: number;
  readonly maxSessions?: number;
  readonly maxBytes?: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `session.maintenance`; `undefined` when nothing is bounded. */
export function maintenanceBounds(config: SessionConfig["maintenance"]): MaintenanceBounds | undefined {
  const { mode, pruneAfter, maxEntries, maxDiskBytes } = config;
  if (pruneAfter === undefined && maxEntries === undefined && maxDiskBytes === undefined) return undefined;
  return {
    mode,
    ...(pruneAfter === undefined ? {} : { maxAgeMs: Number.parseInt(pruneAfter, 10) * (UNIT_MS[pruneAfter.slice(-1)] ?? 0) }),
    ...withoutUndefined({ maxSessions: maxEntries, maxBytes: maxDiskBytes }),
  };
}
