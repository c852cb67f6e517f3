import type { SessionConfig } from "@factotum/config";
import { withoutUndefined } from "@factotum/agent-contract";

/** Retention limits of past conversations; an absent one is no limit. */
export interface MaintenanceBounds {
  /** `warn`: nothing is removed, the log reports what would be. */
  readonly mode: "enforce" | "warn";
  readonly maxAgeMs?: number;
  readonly maxSessions?: number;
  readonly maxBytes?: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `session.maintenance`; `undefined` without any limit. */
export function maintenanceBounds(config: SessionConfig["maintenance"]): MaintenanceBounds | undefined {
  const { mode, pruneAfter, maxEntries, maxDiskBytes } = config;
  if (pruneAfter === undefined && maxEntries === undefined && maxDiskBytes === undefined) return undefined;
  return {
    mode,
    ...(pruneAfter === undefined ? {} : { maxAgeMs: Number.parseInt(pruneAfter, 10) * (UNIT_MS[pruneAfter.slice(-1)] ?? 0) }),
    ...withoutUndefined({ maxSessions: maxEntries, maxBytes: maxDiskBytes }),
  };
}
