import type { AgentTool } from "@factotum/agent-contract";

/** One layer of the policy (design 08, "Tools and sandbox"). */
export interface ToolPolicyLayer {
  readonly profile?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

const MESSAGING = ["message", "session_status", "sessions_list", "sessions_history", "sessions_send"];
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
];

/** Tool names of each profile; `full` is everything. Names of tools that a build does not have are no error. */
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
 * The tools that pass every layer. In a layer `allow` stands in place of the profile; layers only narrow; `deny` wins. `missing` are names in an
 * `allow` that nothing provides, for a warning.
 */
export function filterTools(
  tools: readonly AgentTool[],
  layers: readonly ToolPolicyLayer[],
): { readonly tools: readonly AgentTool[]; readonly missing: readonly string[] } {
  const names = new Set(tools.map((tool) => tool.name));
  const passing = tools.filter((tool) => layers.every((layer) => admitsTool(layer, tool.name)));
  const missing = new Set(
    layers.flatMap((layer) => layer.allow ?? []).filter((name) => name !== "*" && !name.includes("*") && !names.has(name)),
  );
  return { tools: passing, missing: [...missing] };
}

/** Whether a layer lets a tool of this name through. */
export function admitsTool(layer: ToolPolicyLayer, name: string): boolean {
  if (layer.deny.some((pattern) => matches(pattern, name))) return false;
  if (layer.allow !== undefined) return layer.allow.some((pattern) => matches(pattern, name));
  return layer.profile === undefined || layer.profile.some((profile) => inProfile(profile, name));
}

function inProfile(profile: string, name: string): boolean {
  if (profile === "full") return true;
  return isProfile(profile) && TOOL_PROFILES[profile].includes(name);
}

function isProfile(name: string): name is keyof typeof TOOL_PROFILES {
  return Object.hasOwn(TOOL_PROFILES, name);
}

/** Case does not count, `*` stands for any characters. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const text = name.toLowerCase();
  const first = parts[0] ?? "";
  if (parts.length === 1) return first === text;
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > text.length - last.length) return false;
    from = at + part.length;
  }
  return true;
}
