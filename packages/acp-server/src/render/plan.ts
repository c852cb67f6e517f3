import type { PlanEntry } from "@agentclientprotocol/sdk";
import type { ChatToolCall } from "@factotum/protocol";
import { parseArguments } from "./tool-call.ts";

const STATUSES = ["pending", "in_progress", "completed"] as const;

/** The plan that a call of `update_plan` shows; `undefined` for other calls, and for one whose arguments were cut. */
export function planOf({ name, argumentsText }: Pick<ChatToolCall, "name" | "argumentsText">): PlanEntry[] | undefined {
  if (name !== "update_plan") return undefined;
  const steps = parseArguments(argumentsText)?.["plan"];
  if (!Array.isArray(steps)) return undefined;
  const entries = steps.flatMap((step: unknown) => entryOf(step) ?? []);
  return entries.length === steps.length ? entries : undefined;
}

function entryOf(value: unknown): PlanEntry | undefined {
  if (typeof value !== "object" || value === null || !("step" in value) || typeof value.step !== "string" || !("status" in value))
    return undefined;
  const status = STATUSES.find((known) => known === value.status);
  return status === undefined ? undefined : { content: value.step, priority: "medium", status };
}
