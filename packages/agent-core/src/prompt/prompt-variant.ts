import type { RunKind } from "@factotum/agent-contract";
import { BOOTSTRAP_NAMES, type BootstrapName } from "../bootstrap/bootstrap-file.ts";
import type { PromptMode } from "./prompt-facts.ts";

/** How the kind of a run shapes its prompts: one row of the design's table. */
export interface PromptVariant {
  /** For a session that such a run creates; an existing session keeps its prompt. */
  readonly mode: PromptMode;
  /** The prompt may have the Heartbeats section. */
  readonly heartbeats: boolean;
  /** The bootstrap files of such a session. */
  readonly bootstrap: readonly BootstrapName[];
  /** The turn's text lists truncated bootstrap files. */
  readonly truncationWarning: boolean;
}

const FULL: PromptVariant = { mode: "full", heartbeats: true, bootstrap: BOOTSTRAP_NAMES, truncationWarning: true };

/** The variant for a run kind. `lightContext` applies to heartbeats (HEARTBEAT.md alone) and cron jobs (no bootstrap file). */
export function promptVariant(run: RunKind, options: { readonly lightContext: boolean }): PromptVariant {
  switch (run) {
    case "user":
    case "a2a":
    case "memory":
      return FULL;
    case "hook":
      return { ...FULL, heartbeats: false };
    case "heartbeat":
      return { ...FULL, truncationWarning: false, ...(options.lightContext ? { bootstrap: ["HEARTBEAT.md"] } : {}) };
    case "cron":
      return { ...FULL, heartbeats: false, ...(options.lightContext ? { bootstrap: [] } : {}) };
    case "subagent":
      return { mode: "minimal", heartbeats: false, bootstrap: [], truncationWarning: false };
    // The summariser has its own prompt (`renderSummaryRequest`).
    case "compaction":
      return { mode: "none", heartbeats: false, bootstrap: [], truncationWarning: false };
    default:
      return run satisfies never;
  }
}
