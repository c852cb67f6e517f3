import { quoteLines } from "./quote-lines.ts";

const ADDED = "The one who gave you the task adds:";
const TASK = "[Subagent Task]: ";

/** What is said to a sub-agent after its task, for its model. */
export function renderSteering(text: string): string {
  return [ADDED, quoteLines(text)].join("\n");
}

/** What a sub-agent was told, its task or something after it, without the words around it; for readers of its conversation. */
export function readToldText(body: string): string {
  const quoted = body.startsWith(`${ADDED}\n`) ? body.slice(ADDED.length + 1) : undefined;
  if (quoted !== undefined) return quoted.replaceAll(/^\| /gm, "");
  const task = body.indexOf(TASK);
  return task === -1 ? body : body.slice(task + TASK.length);
}
