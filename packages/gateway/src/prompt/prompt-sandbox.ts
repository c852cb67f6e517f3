import type { PromptFacts } from "@factotum/agent-core";
import type { SandboxConfig } from "@factotum/config";
import { isSandboxed, sandboxReason } from "../agents/run-place.ts";

/**
 * What the prompt says of the sandbox: nothing if none of the session's turns is sandboxed. Without `workspace` others than the owner read the prompt: it names
 * no path of the owner's.
 */
export function promptSandbox(
  { mode, workspaceAccess, backend }: SandboxConfig,
  { isGroup, workspace }: { readonly isGroup: boolean; readonly workspace: string | undefined },
): PromptFacts["sandbox"] {
  const isWhole = isSandboxed(sandboxReason(mode, { owner: true, group: isGroup }));
  const isPartly = workspace === undefined && isSandboxed(sandboxReason(mode, { owner: false, group: isGroup }));
  if (!isWhole && !isPartly) return undefined;
  return {
    turns: isWhole ? "all" : "non-owner",
    backend: backend === "auto" ? "a sandbox of this machine" : backend,
    folder: workspace ?? "the session's workspace",
    workspaceAccess,
    network: "none",
    elevated: "off",
  };
}
