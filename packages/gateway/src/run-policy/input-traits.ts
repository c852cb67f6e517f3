import type { RunKind } from "@factotum/agent-contract";
import type { InputAdmission, InputRecord, TreeBudget } from "@factotum/store";
import { RUN_POLICY } from "./run-policy.ts";

/** True if an input's text is the gateway's own: a task, or a report of finished work. */
export function isHostText({ kind, completion }: Pick<InputAdmission, "kind" | "completion">): boolean {
  return RUN_POLICY[kind].isHostText || completion !== undefined;
}

/** True if a person can be asked in a run of these inputs: neither its own kind nor that of the run that originally started it is unattended. */
export function mayAsk(kind: RunKind, inputs: readonly Pick<InputRecord, "admission">[]): boolean {
  return RUN_POLICY[kind].mayAsk && inputs.flatMap(causesOf).every((cause) => RUN_POLICY[cause].mayAsk);
}

/**
 * The kind of run by which a run of these inputs was originally started: it is charged to that (R15), and so are the runs that it causes. Of several causes the
 * first one counts in which no one can be asked, else the first unattended one, which has caps.
 */
export function chargedKind(kind: RunKind, inputs: readonly Pick<InputRecord, "admission">[]): RunKind {
  const causes = inputs.flatMap(causesOf);
  const strictest = causes.find((cause) => !RUN_POLICY[cause].mayAsk) ?? causes.find((cause) => !RUN_POLICY[cause].isAttended);
  return strictest ?? causes[0] ?? kind;
}

/**
 * The tree of sub-agents whose budget a run of these inputs uses: that of a sub-agent, and of an exchange that a result of one has begun. The turn with a result,
 * whose input names the tree, too, is the conversation's own.
 */
export function chargedTree(kind: RunKind, inputs: readonly Pick<InputRecord, "admission">[]): TreeBudget | undefined {
  return inputs
    .map(({ admission }) => admission)
    .filter(({ agentToAgent, subagent }) => kind === "subagent" || agentToAgent !== undefined || subagent !== undefined)
    .find(({ tree }) => tree !== undefined)?.tree;
}

/** The kind of run that originally started an input that another run has caused. */
export function causeOf({ cause, agentToAgent }: Pick<InputAdmission, "cause" | "agentToAgent">): RunKind | undefined {
  return cause ?? agentToAgent?.cause;
}

function causesOf({ admission }: Pick<InputRecord, "admission">): readonly RunKind[] {
  const cause = causeOf(admission);
  return cause === undefined ? [] : [cause];
}
