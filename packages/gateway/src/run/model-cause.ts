import { withoutUndefined } from "@factotum/agent-contract";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import type { ModelCause } from "../requests/model-chain.ts";
import { chargedKind } from "../run-policy/input-traits.ts";

/**
 * What the requests of a turn are charged to: the run that originally started it, and the budget of its tree for a sub-agent, and for an exchange that a result of
 * one has begun. The turn with a result is the conversation's own.
 */
export function modelCause({ turn, facts, agent, inputs }: Pick<PreparedTurn, "turn" | "facts" | "agent" | "inputs">): ModelCause {
  const { kind, sessionKey } = turn;
  const isOfTree = ({ admission }: (typeof inputs)[number]): boolean =>
    kind === "subagent" || admission.agentToAgent !== undefined || admission.subagent !== undefined;
  // The result of a sub-agent names its tree, too: its parent's turn is not the tree's.
  const tree = inputs.find((input) => input.admission.tree !== undefined && isOfTree(input))?.admission.tree;
  return {
    agentId: agent.config.id,
    kind,
    sessionKey,
    owner: facts.owner,
    chargedTo: chargedKind(kind, inputs),
    ...withoutUndefined({ tree }),
  };
}
