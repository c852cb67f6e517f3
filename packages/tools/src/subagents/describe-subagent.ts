import { plural } from "@factotum/agent-contract";
import type { SubagentView } from "@factotum/agent-contract";

const MAX_TASK_CHARS = 120;
const ID_CHARS = 8;

/** A sub-agent in one line: id, label, state, age, cost, task. */
export function describeSubagent({ runId, label, state, reason, durationMs, tokens, costUsd, task }: SubagentView): string {
  const facts = [
    reason === undefined ? state : `${state}: ${reason}`,
    `${Math.round(durationMs / 1000)} s`,
    plural(tokens, "token"),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
  ];
  const line = task.replaceAll(/\s+/g, " ").trim();
  const shown = line.length > MAX_TASK_CHARS ? `${line.slice(0, MAX_TASK_CHARS).toWellFormed()}…` : line;
  return `${runId.slice(0, ID_CHARS)}${label === undefined ? "" : ` ${JSON.stringify(label)}`} (${facts.join(", ")}): ${JSON.stringify(shown)}`;
}
