import type { RunKind } from "@factotum/agent-contract";
import { RUN_TRAITS, type RunTraits } from "../run-kinds/run-traits.ts";

/** How the kind of a run shapes its prompts. */
type PromptVariant = Pick<RunTraits, "mode" | "heartbeats" | "bootstrap" | "truncationWarning">;

/** The variant for a run kind. `lightContext` applies to heartbeats (HEARTBEAT.md alone) and cron jobs (no bootstrap file). */
export function promptVariant(run: RunKind, options: { readonly lightContext: boolean }): PromptVariant {
  const { mode, heartbeats, bootstrap, lightBootstrap, truncationWarning } = RUN_TRAITS[run];
  return { mode, heartbeats, bootstrap: options.lightContext ? lightBootstrap : bootstrap, truncationWarning };
}
