import type { RunKind } from "@factotum/agent-contract";

/** Runs that nobody waits for. */
export const UNATTENDED_KINDS: ReadonlySet<RunKind> = new Set(["heartbeat", "cron", "hook"]);
