/** Tools by group. A list may name a tool that this build does not have yet: it takes effect once the tool exists. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  runtime: ["exec", "process"],
  fs: ["read", "write", "edit", "apply_patch", "ls", "grep", "find"],
  sessions: [
    "sessions_list",
    "sessions_history",
    "sessions_search",
    "sessions_send",
    "sessions_spawn",
    "sessions_yield",
    "subagents",
    "session_status",
  ],
  memory: ["memory_search", "memory_get"],
  web: ["web_search", "web_fetch"],
  ui: ["browser", "canvas"],
  automation: ["cron", "gateway"],
  messaging: ["message"],
  nodes: ["nodes"],
  agents: ["agents_list"],
  media: ["image", "image_generate", "tts", "pdf"],
};

/** Tools that belong to no group. */
const UNGROUPED = ["ask_user", "update_plan", "tool_search", "tool_call"];

const PREFIX = "group:";
const BUILT_IN: ReadonlySet<string> = new Set([...Object.values(GROUPS).flat(), ...UNGROUPED]);

/**
 * Every group by its name: those of the table, all built-in tools, everything else (plugins, MCP and LSP servers), and the tools of either kind of server. `group:openclaw` is OpenClaw's name for
 * all built-in tools: a list that was copied from its configuration keeps its effect.
 */
const MEMBERSHIP: ReadonlyMap<string, (name: string) => boolean> = new Map([
  ...Object.entries(GROUPS).map(([group, names]) => [group, (name: string) => names.includes(name)] as const),
  ["openclaw", (name: string) => BUILT_IN.has(name)],
  ["plugins", (name: string) => !BUILT_IN.has(name)],
  ["mcp", (name: string) => name.startsWith("mcp__")],
  ["lsp", (name: string) => name.startsWith("lsp_")],
]);

/** The groups as lists name them: `group:runtime`. */
export const TOOL_GROUP_NAMES: readonly string[] = [...MEMBERSHIP.keys()].map((group) => `${PREFIX}${group}`);

/** The tools that the product has, and those that other products have under these names. */
export const TOOL_NAMES: readonly string[] = [...BUILT_IN];

/** True if an entry of an allow or deny list matches a tool: `group:<name>`, a name, or a pattern in which `*` matches any characters. Case-insensitive. */
export function matchesTool(entry: string, toolName: string): boolean {
  const [pattern, name] = [entry.toLowerCase(), toolName.toLowerCase()];
  if (pattern.startsWith(PREFIX)) return MEMBERSHIP.get(pattern.slice(PREFIX.length))?.(name) ?? false;
  return matchesPattern(pattern, name);
}

function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
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
