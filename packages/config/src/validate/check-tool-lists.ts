import { valueAt } from "../document/key-path.ts";
import { matchingPaths } from "../document/matching-paths.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import { matchesTool, TOOL_GROUP_NAMES, TOOL_NAMES } from "../tools/tool-names.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** The paths of allow and deny lists. */
const POLICIES = [
  "tools",
  "tools.byProvider.*",
  "tools.sandbox.tools",
  "agents.defaults.tools",
  "agents.defaults.subagents.tools",
  "agents.list.*.tools",
  "agents.list.*.subagents.tools",
  "channels.*.groups.*.tools",
  "channels.*.groups.*.toolsBySender.*",
  "channels.*.accounts.*.groups.*.tools",
  "channels.*.accounts.*.groups.*.toolsBySender.*",
];

/**
 * Validates the names in allow and deny lists. A deny entry that matches nothing is an error, since a denial must be enforced; in an allow list it is only a
 * notice.
 */
export function checkToolLists(document: Document): ConfigProblem[] {
  const unknown = (list: "allow" | "deny", toProblem: (entry: string) => Pick<ConfigProblem, "type" | "message">): ConfigProblem[] =>
    POLICIES.flatMap((policy) => matchingPaths(document, `${policy}.${list}.*`)).flatMap((path) => {
      const entry = valueAt(document, path);
      if (typeof entry !== "string" || isKnown(entry, document)) return [];
      const { type, message } = toProblem(entry);
      return [problemAt(type, path, message)];
    });
  return [
    ...unknown("deny", (entry) => ({
      type: "unenforced",
      message: `there is no tool or group "${entry}", so this denies nothing${hint(entry)}`,
    })),
    ...unknown("allow", (entry) => ({ type: "notice", message: `there is no tool or group "${entry}"${hint(entry)}` })),
  ];
}

function isKnown(entry: string, document: Document): boolean {
  if (TOOL_GROUP_NAMES.includes(entry.toLowerCase())) return true;
  return TOOL_NAMES.some((name) => matchesTool(entry, name)) || isOfServer(entry.toLowerCase(), document);
}

/** Tools of servers are named `mcp__<server>_<tool>` and `lsp_<operation>_<language>`; they are known only while the server runs. */
function isOfServer(entry: string, document: Document): boolean {
  if (["mcp__*", "lsp_*"].includes(entry)) return true;
  const servers = (kind: string): string[] => matchingPaths(document, `${kind}.servers.*`).map((path) => String(path.at(-1)).toLowerCase());
  if (entry.startsWith("lsp_")) return servers("lsp").length > 0 || valueAt(document, ["lsp", "detect"]) === true;
  return servers("mcp").some((server) => entry.startsWith(`mcp__${server.replaceAll(/[^a-z0-9_-]/g, "_")}_`));
}

function hint(entry: string): string {
  const group = `group:${entry.toLowerCase()}`;
  const nearest = TOOL_GROUP_NAMES.includes(group) ? group : nearestName(entry, [...TOOL_NAMES, ...TOOL_GROUP_NAMES]);
  return nearest === undefined ? `; write the name of a tool, or a group: ${TOOL_GROUP_NAMES.join(", ")}` : suggestion(nearest);
}

/** Only channels of this build: settings of others apply to no conversation. */
export function withKnownChannels(document: Document, ids: readonly string[]): Document {
  const { channels } = document;
  if (!isPlainObject(channels)) return document;
  return { ...document, channels: Object.fromEntries(Object.entries(channels).filter(([id]) => id === "defaults" || ids.includes(id))) };
}
