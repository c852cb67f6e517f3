import type { AgentTool } from "@factotum/agent-contract";
import { matchesTool, type ToolsConfig } from "@factotum/config";

/** One layer of the policy. */
export interface ToolPolicyLayer {
  readonly profile?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

const MESSAGING = ["message", "ask_user", "session_status", "sessions_list", "sessions_history", "sessions_send"];
const CODING = [
  "read",
  "write",
  "edit",
  "apply_patch",
  "ls",
  "grep",
  "find",
  "exec",
  "process",
  "web_fetch",
  "web_search",
  "session_status",
  "ask_user",
  "update_plan",
];

/** Tool names of each profile; `full` is everything. Names of tools that a build does not have are allowed. */
const TOOL_PROFILES: {
  readonly minimal: readonly string[];
  readonly coding: readonly string[];
  readonly messaging: readonly string[];
} = {
  minimal: ["session_status"],
  coding: CODING,
  messaging: MESSAGING,
};

/**
 * The tools that pass every layer. In a layer `allow` replaces the profile; layers only narrow; `deny` wins. `missing` are names and groups in an `allow` that
 * match no tool, for a warning.
 */
export function filterTools(
  tools: readonly AgentTool[],
  layers: readonly ToolPolicyLayer[],
): { readonly tools: readonly AgentTool[]; readonly missing: readonly string[] } {
  const passing = tools.filter((tool) => layers.every((layer) => admitsTool(layer, tool.name)));
  const missing = new Set(
    layers
      .flatMap((layer) => layer.allow ?? [])
      .filter((entry) => !entry.includes("*") && !tools.some(({ name }) => matchesTool(entry, name))),
  );
  return { tools: passing, missing: [...missing] };
}

/** Tools removed by `tools.exec`. */
export function execLayer({ mode, applyPatch }: Pick<ToolsConfig["exec"], "mode" | "applyPatch">): ToolPolicyLayer {
  return { deny: [...(mode === "deny" ? ["group:runtime"] : []), ...(applyPatch ? [] : ["apply_patch"])] };
}

/** Whether a layer allows a tool of this name. */
export function admitsTool(layer: ToolPolicyLayer, name: string): boolean {
  if (layer.deny.some((entry) => matchesTool(entry, name))) return false;
  if (layer.allow !== undefined) return layer.allow.some((entry) => matchesTool(entry, name));
  return layer.profile === undefined || layer.profile.some((profile) => inProfile(profile, name));
}

function inProfile(profile: string, name: string): boolean {
  if (profile === "full") return true;
  return isProfile(profile) && TOOL_PROFILES[profile].includes(name);
}

function isProfile(name: string): name is keyof typeof TOOL_PROFILES {
  return Object.hasOwn(TOOL_PROFILES, name);
}
