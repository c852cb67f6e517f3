import { createHash } from "node:crypto";
import type { AgentTool, JsonValue, RunFacts, ToolCall } from "@factotum/agent-contract";

/** What a call would do, for the owner, and the digest of everything that decides it (R21). `invalid`: it would fail; `message` is for the model. */
export type CallBinding =
  | {
      readonly type: "action";
      readonly text: string;
      readonly binding: string;
      readonly argv?: readonly string[];
      readonly reservedWords?: readonly string[];
      readonly onceOnly?: true;
    }
  | { readonly type: "invalid"; readonly message: string };

/** Inspects a call as it would run right now. Tools that do not inspect their calls are bound by their arguments. */
export async function bindingOf(call: ToolCall, tool: AgentTool, run: RunFacts): Promise<CallBinding> {
  const inspected =
    tool.inspect === undefined
      ? ({ type: "action", text: JSON.stringify(call.arguments, undefined, 2), binding: call.arguments } as const)
      : await tool.inspect(call, run);
  return inspected.type === "invalid" ? inspected : { ...inspected, binding: bindingDigest(tool.name, inspected.binding, run.workspace) };
}

/** The digest of a binding, as approvals are stored with it. */
export function bindingDigest(toolName: string, binding: JsonValue, workspace: string): string {
  return createHash("sha256")
    .update(JSON.stringify([toolName, canonical(binding), workspace]))
    .digest("hex");
}

/** The same value with sorted keys, so that equal arguments have equal texts. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => canonical(entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([key, entry]) => (entry === undefined ? [] : [[key, canonical(entry)]])),
  );
}
