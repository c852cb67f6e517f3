import { createHash } from "node:crypto";
import path from "node:path";
import { commandSandbox } from "@factotum/agent-contract";
import type { RunFacts, RunSandbox } from "@factotum/agent-contract";
import type { ResolvedAgent } from "@factotum/config";
import type { RunConfinement } from "@factotum/store";

/** Why commands of a run are in a sandbox or on the host. */
export type SandboxReason =
  /** `sandbox.mode: off`. */
  | "off"
  /** `sandbox.mode: all`. */
  | "all"
  /** A session of a group or channel. */
  | "group"
  /** The sender is not the owner. */
  | "guest"
  /** The owner's own conversation. */
  | "owner";

/** Who a run is for, and in which session. */
export interface RunOccasion extends Pick<RunFacts, "owner" | "sessionKey"> {
  /** The session is that of a group or channel. */
  readonly group: boolean;
  /** The session's own folder; absent: the agent's workspace. */
  readonly workspace?: string | undefined;
}

/** Where a run works. */
export interface RunPlace {
  readonly folder: string;
  readonly reason: SandboxReason;
  /** Absent: commands run on the host. */
  readonly sandbox?: NonNullable<RunFacts["sandbox"]>;
}

/** Whether commands run in a sandbox, by `sandbox.mode`. `undefined` asks for all turns of the session that are not the owner's. */
export function sandboxReason(
  mode: ResolvedAgent["sandbox"]["mode"],
  { owner, group }: Pick<RunOccasion, "owner" | "group">,
): SandboxReason {
  if (mode === "off" || mode === "all") return mode;
  if (group) return "group";
  return owner ? "owner" : "guest";
}

/** True for the reasons of a sandbox. */
export function isSandboxed(reason: SandboxReason): boolean {
  return reason !== "off" && reason !== "owner";
}

/** What the runs that a run causes are confined to; `undefined`: its commands are on the host. */
export function confinementOf(run: Pick<RunFacts, "sandbox">): RunConfinement | undefined {
  const sandbox = commandSandbox(run);
  return sandbox === undefined ? undefined : { hosts: sandbox.network ?? [] };
}

/** True if a run in another sandbox, or in none, could do what a run in this one cannot: it would be on the host, or reach a network. */
export function isWiderThan({ network }: RunSandbox, other: RunSandbox | undefined): boolean {
  return other === undefined || (other.network !== undefined && network === undefined);
}

/** A sandbox within confinements: its commands reach only the hosts that each of them names, too. */
export function confined({ network, ...sandbox }: RunSandbox, confinements: readonly RunConfinement[]): RunSandbox {
  const hosts = (network ?? []).filter((host) => confinements.every((one) => one.hosts.includes(host)));
  return { ...sandbox, ...(hosts.length === 0 ? {} : { network: hosts }) };
}

/**
 * The folder in which file tools and commands of a run work, and its sandbox: the single decision of both. The agent's workspace on the host and with access `ro`
 * or `rw`; otherwise a folder of the sandbox's scope. In place of the workspace the owner's runs work in the session's own folder, if it has one.
 */
export function placeOfRun(agent: Pick<ResolvedAgent, "id" | "workspace" | "sandbox">, run: RunOccasion, home: string): RunPlace {
  const { scope, workspaceAccess, mode, network } = agent.sandbox;
  const reason = sandboxReason(mode, run);
  const workspace = run.owner && !run.group ? (run.workspace ?? agent.workspace) : agent.workspace;
  if (!isSandboxed(reason)) return { folder: workspace, reason };
  const folder =
    workspaceAccess === "none" ? path.join(workspaceRoot(agent, home), scopeFolder(scope, agent.id, run.sessionKey)) : workspace;
  return {
    folder,
    reason,
    sandbox: {
      workspaceAccess,
      shared: !run.owner || run.group || (workspaceAccess === "none" && scope !== "session"),
      ...(network === "none" || network.allow.length === 0 ? {} : { network: network.allow }),
    },
  };
}

/** The folder of the workspaces of sandboxes. */
export function workspaceRoot({ sandbox }: Pick<ResolvedAgent, "sandbox">, home: string): string {
  return sandbox.workspaceRoot ?? path.join(home, "sandboxes");
}

/** The name of the workspace of a scope. */
function scopeFolder(scope: ResolvedAgent["sandbox"]["scope"], agentId: string, sessionKey: string): string {
  if (scope === "shared") return "shared";
  if (scope === "agent") return `agent-${agentId}`;
  // A key contains platform ids and characters that are invalid in folder names.
  return `session-${createHash("sha256").update(sessionKey).digest("hex").slice(0, 16)}`;
}
