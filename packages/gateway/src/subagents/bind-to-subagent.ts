import { withoutUndefined } from "@factotum/agent-contract";
import type { InputAdmission, TaskBounds } from "@factotum/store";

/** What an input in the session of a sub-agent is bound to. */
export type SubagentBounds = Pick<InputAdmission, "subagent" | "job" | "tree" | "extra" | "tainted">;

/**
 * An input of a person or of another session, in the session of a sub-agent: with its own authority, within the bounds of the sub-agent. What belongs to a tree
 * already uses the budget of that; anything else uses that of the sub-agent.
 */
export function bindToSubagent(admission: InputAdmission, bounds: SubagentBounds | undefined): InputAdmission {
  if (bounds === undefined) return admission;
  const { job, tree: own, ...rest } = bounds;
  const tree = admission.tree ?? own;
  const both = job === undefined ? admission.job : joinBounds(job, admission.job);
  return { ...admission, ...rest, ...withoutUndefined({ job: both, tree }) };
}

function joinBounds(job: TaskBounds, own: TaskBounds | undefined): TaskBounds {
  if (own?.tools === undefined) return job;
  const { tools } = job;
  return { ...job, tools: tools === undefined ? own.tools : own.tools.filter((name) => tools.includes(name)) };
}
