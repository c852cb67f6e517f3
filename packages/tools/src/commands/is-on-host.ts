import type { RunSandbox } from "@factotum/agent-contract";

/** True if commands of a run with this sandbox run on the host. */
export function isOnHost(sandbox: RunSandbox | undefined): boolean {
  return sandbox === undefined || sandbox.elevated === true;
}
