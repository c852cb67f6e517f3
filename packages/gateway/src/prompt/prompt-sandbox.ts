import type { PromptFacts } from "@factotum/agent-core";
import type { FactotumConfig, SandboxConfig } from "@factotum/config";
import { isSandboxed, sandboxReason } from "../agents/run-place.ts";
import { isElevationChosen } from "../conversation/elevation.ts";
import type { SessionFacts } from "../conversation/session-context.ts";

/** Where the owner's commands of sandboxed turns run, and whether they ask. */
export type ElevatedLevel = NonNullable<PromptFacts["sandbox"]>["elevated"];

/** What `/elevated` does in a session: nothing where the owner's turns are not sandboxed. In a group every turn holds text of others, so each command asks. */
export function elevatedLevel(
  { record, agent, isGroup }: Pick<SessionFacts, "record" | "agent" | "isGroup">,
  { tools }: Pick<FactotumConfig, "tools">,
): ElevatedLevel {
  const isWhole = isSandboxed(sandboxReason(agent.config.sandbox.mode, { owner: true, group: isGroup }));
  if (!isWhole || !tools.elevated.enabled || !isElevationChosen(record)) return "off";
  return tools.exec.mode === "full" && !isGroup ? "full" : "ask";
}

/**
 * What the prompt says of the sandbox: nothing if none of the session's turns is sandboxed. Without `workspace` others than the owner read the prompt: it names
 * no path of the owner's.
 */
export function promptSandbox(
  { mode, workspaceAccess, backend, network }: SandboxConfig,
  { isGroup, workspace, elevated }: { readonly isGroup: boolean; readonly workspace: string | undefined; readonly elevated: ElevatedLevel },
): PromptFacts["sandbox"] {
  const isWhole = isSandboxed(sandboxReason(mode, { owner: true, group: isGroup }));
  const isPartly = workspace === undefined && isSandboxed(sandboxReason(mode, { owner: false, group: isGroup }));
  if (!isWhole && !isPartly) return undefined;
  return {
    turns: isWhole ? "all" : "non-owner",
    backend: backend === "auto" ? "a sandbox of this machine" : backend,
    folder: workspace ?? "the session's workspace",
    workspaceAccess,
    network:
      network === "none" || network.allow.length === 0
        ? "none"
        : `${network.allow.join(", ")}, through the proxy of HTTP_PROXY; commands need approval`,
    elevated,
  };
}
