import type { RunKind } from "@factotum/agent-contract";
import { BOOTSTRAP_NAMES, type BootstrapName } from "../bootstrap/bootstrap-file.ts";
import type { PromptMode } from "../prompt/prompt-facts.ts";

/** What prompts, the loop and the history do for a run, by its kind. How the gateway treats it is in the gateway's own table. */
export interface RunTraits {
  /** For a session that such a run creates; an existing session keeps its prompt. */
  readonly mode: PromptMode;
  /** The prompt may have the Heartbeats section. */
  readonly heartbeats: boolean;
  /** The bootstrap files of such a session. */
  readonly bootstrap: readonly BootstrapName[];
  /** The same for runs with `lightContext`. */
  readonly lightBootstrap: readonly BootstrapName[];
  /** The turn's text lists truncated bootstrap files. */
  readonly truncationWarning: boolean;
  /** An empty answer is requested again. */
  readonly needsAnswer: boolean;
  /** Whether later requests omit it, and until it ends do not count it as a turn of the conversation. */
  readonly omitted: "never" | "without-report" | "always";
}

const FULL: RunTraits = {
  mode: "full",
  heartbeats: true,
  bootstrap: BOOTSTRAP_NAMES,
  lightBootstrap: BOOTSTRAP_NAMES,
  truncationWarning: true,
  needsAnswer: true,
  omitted: "never",
};

const BARE: RunTraits = { ...FULL, mode: "minimal", heartbeats: false, bootstrap: [], lightBootstrap: [], truncationWarning: false };

/** One row per run kind: everything in this package that depends on the kind alone. */
export const RUN_TRAITS: Readonly<Record<RunKind, RunTraits>> = {
  user: FULL,
  heartbeat: { ...FULL, lightBootstrap: ["HEARTBEAT.md"], truncationWarning: false, omitted: "without-report" },
  cron: { ...FULL, heartbeats: false, lightBootstrap: [] },
  hook: { ...FULL, heartbeats: false },
  command: { ...FULL, truncationWarning: false },
  subagent: BARE,
  a2a: FULL,
  // The summariser has its own prompt (`renderSummaryRequest`).
  compaction: { ...BARE, mode: "none" },
  memory: { ...FULL, needsAnswer: false, omitted: "always" },
};
