import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool } from "@factotum/agent-contract";
import { matchesTool, type ToolsConfig } from "@factotum/config";
import { isCarrier } from "./deferred/carriers.ts";

/** One layer of the policy. */
export interface ToolPolicyLayer {
  readonly profile?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

const MESSAGING = [
  "message",
  "ask_user",
  "session_status",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "agents_list",
  "group:mcp",
];
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
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  // The scheduler and memory are what an assistant is for; its own settings (`gateway`) are not.
  "cron",
  "group:memory",
  // Each server is the owner's choice.
  "group:mcp",
  "group:lsp",
];

/** Tool names and groups of each profile; `full` is everything. Names of tools that a build does not have are allowed. */
const TOOL_PROFILES: {
  readonly minimal: readonly string[];
  readonly coding: readonly string[];
  readonly messaging: readonly string[];
} = {
  minimal: ["session_status"],
  coding: CODING,
  messaging: MESSAGING,
};

/** Where a layer of the policy is set; widest first. */
const TOOL_LAYERS = ["exec", "global", "agent", "provider", "group", "sender", "sandbox", "subagent"] as const;

/** Name of a layer. */
type ToolLayerName = (typeof TOOL_LAYERS)[number];

/** A layer with its place in the configuration, for explanations. */
export interface NamedToolLayer {
  readonly layer: ToolLayerName;
  /** The configuration key. */
  readonly key: string;
  readonly policy: ToolPolicyLayer;
}

/** A layer's verdict on one tool. */
export interface ToolVerdict extends Pick<NamedToolLayer, "layer" | "key"> {
  readonly admits: boolean;
  /** What decided: an entry of a list, the absence of one in `allow`, the profile, or nothing in this layer. */
  readonly by: "deny" | "allow" | "profile" | "nothing";
  /** The entry of the list that matched. */
  readonly entry?: string;
}

/**
 * The tools that pass every layer, and for each of the others the first layer that removed it. In a layer `allow` replaces the profile; layers only narrow;
 * `deny` wins. `missing` are names and groups in an `allow` that match no tool, for a warning.
 */
export function filterTools(
  tools: readonly AgentTool[],
  layers: readonly NamedToolLayer[],
): { readonly tools: readonly AgentTool[]; readonly removed: ReadonlyMap<string, ToolVerdict>; readonly missing: readonly string[] } {
  const removed = new Map<string, ToolVerdict>();
  for (const { name } of tools) {
    const verdict = toolVerdicts(layers, name).find(({ admits }) => !admits);
    if (verdict !== undefined) removed.set(name, verdict);
  }
  const missing = new Set(
    layers
      .flatMap(({ policy }) => policy.allow ?? [])
      .filter((entry) => !entry.includes("*") && !tools.some(({ name }) => matchesTool(entry, name))),
  );
  return { tools: tools.filter(({ name }) => !removed.has(name)), removed, missing: [...missing] };
}

/** The verdicts of all layers on a tool of this name, in order. It is available if all of them admit it. */
export function toolVerdicts(layers: readonly NamedToolLayer[], name: string): readonly ToolVerdict[] {
  return layers.map(({ layer, key, policy }) => ({ layer, key, ...verdictOf(policy, name) }));
}

/** False if every name that begins like this is removed by one layer or another, as far as that can be told without the names. */
export function mayAdmit(layers: readonly NamedToolLayer[], prefix: string): boolean {
  return layers.every(({ policy }) => mayLayerAdmit(policy, prefix));
}

function mayLayerAdmit({ profile, allow, deny }: ToolPolicyLayer, prefix: string): boolean {
  if (deny.some((entry) => coversPrefix(entry, prefix))) return false;
  if (allow !== undefined) return allow.some((entry) => reachesPrefix(entry, prefix));
  return profile === undefined || profile.some((one) => inProfile(one, prefix));
}

/** No tool has it in its name. */
const ANY_REST = "\u0001";

/** True if the entry matches every name that begins like this. */
function coversPrefix(entry: string, prefix: string): boolean {
  return matchesTool(entry, `${prefix}${ANY_REST}`);
}

/** True if the entry matches some name that begins like this. */
function reachesPrefix(entry: string, prefix: string): boolean {
  if (coversPrefix(entry, prefix)) return true;
  const [head = "", ...rest] = entry.toLowerCase().split("*");
  const start = prefix.toLowerCase();
  return head.startsWith(start) || (rest.length > 0 && start.startsWith(head));
}

/** Tools removed by `tools.exec`. */
export function execLayer({ mode, applyPatch }: Pick<ToolsConfig["exec"], "mode" | "applyPatch">): ToolPolicyLayer {
  return { deny: [...(mode === "deny" ? ["group:runtime"] : []), ...(applyPatch ? [] : ["apply_patch"])] };
}

function verdictOf({ profile, allow, deny }: ToolPolicyLayer, name: string): Pick<ToolVerdict, "admits" | "by" | "entry"> {
  const denied = deny.find((entry) => matchesTool(entry, name));
  if (denied !== undefined) return { admits: false, by: "deny", entry: denied };
  if (isCarrier(name)) return { admits: true, by: "nothing" };
  if (allow !== undefined) {
    const entry = allow.find((one) => matchesTool(one, name));
    return { admits: entry !== undefined, by: "allow", ...withoutUndefined({ entry }) };
  }
  if (profile === undefined) return { admits: true, by: "nothing" };
  return { admits: profile.some((one) => inProfile(one, name)), by: "profile", entry: profile.join(" + ") };
}

function inProfile(profile: string, name: string): boolean {
  if (profile === "full") return true;
  return isProfile(profile) && TOOL_PROFILES[profile].some((entry) => matchesTool(entry, name));
}

function isProfile(name: string): name is keyof typeof TOOL_PROFILES {
  return Object.hasOwn(TOOL_PROFILES, name);
}
