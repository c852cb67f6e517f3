import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { ShownCall } from "./shown-call.ts";

const KINDS: readonly ToolKind[] = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"];

/** What an external agent has done itself, as it describes that. */
export function showExternalCall(given: Readonly<Record<string, unknown>>): ShownCall {
  const { agent, title, kind, locations, edits } = given;
  return {
    title: [agent, title].filter((word) => typeof word === "string").join(": "),
    kind: KINDS.find((known) => known === kind) ?? "other",
    locations: objectsOf(locations).flatMap(({ path, line }) =>
      typeof path === "string" ? [{ path, ...(typeof line === "number" && Number.isSafeInteger(line) ? { line } : {}) }] : [],
    ),
    diffs: objectsOf(edits).flatMap(({ path, oldText, newText }): ToolCallContent[] =>
      typeof path === "string" && typeof newText === "string"
        ? [{ type: "diff", path, oldText: typeof oldText === "string" ? oldText : null, newText }]
        : [],
    ),
  };
}

function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Readonly<Record<string, unknown>> => typeof one === "object" && one !== null);
}
