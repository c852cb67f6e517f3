import { cutText } from "../text/cut-text.ts";
import { oneLine } from "./one-line.ts";

/** The facts about a sub-agent in its own prompt. */
export interface SubagentFacts {
  /** Id of the agent that gave the task. Its session is not named, because keys contain platform ids. */
  readonly requester: string;
  /** Its role, in a few words. */
  readonly role?: string;
  readonly task: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  readonly maxDepth: number;
  /** Ids of the external agents that it may start. None if omitted. */
  readonly externalAgents?: readonly string[];
  /** It stays open for messages after its first result. */
  readonly isPersistent?: true;
  /** The JSON Schema of its result. */
  readonly outputSchema?: string;
  /** Files attached to the task, as stored in its workspace. */
  readonly attachments: readonly { readonly name: string; readonly path: string }[];
}

/** The first turn has the whole task; this reminder survives compaction. */
const MAX_TASK_CHARS = 2_000;

/** Subagent Context: the Extra section of a sub-agent's prompt. Pure. */
export function renderSubagentContext({
  requester,
  role,
  task,
  depth,
  maxDepth,
  externalAgents = [],
  isPersistent,
  outputSchema,
  attachments,
}: SubagentFacts): string {
  return [
    "### Subagent Context",
    `You are a sub-agent${role === undefined ? "" : ` named "${oneLine(role)}"`}. The agent "${oneLine(requester)}" gave you one task and is waiting for the result.`,
    `- Task: ${cutText(oneLine(task), MAX_TASK_CHARS, "…")}`,
    `- ${depth < maxDepth ? "You may start sub-agents of your own; their results come to you." : "You may not start sub-agents of your own."} You are at depth ${depth} of at most ${maxDepth}.`,
    ...(externalAgents.length === 0
      ? []
      : [
          `- External agents that you may start, with sessions_spawn, runtime "acp" and agentId: ${externalAgents.map(oneLine).join(", ")}.`,
        ]),
    "- Your last message in a turn is the result of that turn. Factotum delivers it to the agent that asked; do not send it anywhere yourself.",
    ...(isPersistent === true
      ? ["- You stay open after your first result. Answer each further message: what a person writes to you is answered to that person."]
      : []),
    ...(outputSchema === undefined
      ? []
      : [`- Your result must be a single JSON value that matches this JSON Schema, without any other text: ${oneLine(outputSchema)}`]),
    "- Do not poll and do not start conversations: whatever you wait for arrives as a message.",
    ...(attachments.length === 0 ? [] : ["- Files for the task:"]),
    ...attachments.map(({ name, path }) => `  - ${oneLine(name)}: ${oneLine(path)}`),
  ].join("\n");
}
