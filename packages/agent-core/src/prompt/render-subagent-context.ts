import { cutText } from "../text/cut-text.ts";
import { oneLine } from "./one-line.ts";

/** The facts about a sub-agent in its own prompt. */
export interface SubagentFacts {
  /** Its role, in a few words. */
  readonly role?: string;
  readonly task: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  readonly maxDepth: number;
  /** The JSON Schema of its result. */
  readonly outputSchema?: string;
  /** Files attached to the task, as stored in its workspace. */
  readonly attachments: readonly { readonly name: string; readonly path: string }[];
}

/** The first turn has the whole task; this reminder survives compaction. */
const MAX_TASK_CHARS = 2_000;

/** Subagent Context: the Extra section of a sub-agent's prompt. Pure. */
export function renderSubagentContext({ role, task, depth, maxDepth, outputSchema, attachments }: SubagentFacts): string {
  return [
    "### Subagent Context",
    `You are a sub-agent${role === undefined ? "" : ` named "${oneLine(role)}"`}. Another agent gave you one task and is waiting for its result.`,
    `- Task: ${cutText(oneLine(task), MAX_TASK_CHARS, "…")}`,
    `- ${depth < maxDepth ? "You may start sub-agents of your own; their results come to you." : "You may not start sub-agents of your own."} Sub-agents may be nested ${maxDepth} deep; you are at depth ${depth}.`,
    "- Your last message in a turn is the result of that turn. Factotum delivers it to the agent that asked; do not send it anywhere yourself.",
    ...(outputSchema === undefined
      ? []
      : [`- Your result has to be one JSON value that fits this JSON Schema, and nothing else: ${oneLine(outputSchema)}`]),
    "- Do not poll and do not start conversations: anything that you are waiting for arrives as a message.",
    ...(attachments.length === 0 ? [] : ["- Files for the task:"]),
    ...attachments.map(({ name, path }) => `  - ${oneLine(name)}: ${oneLine(path)}`),
  ].join("\n");
}
