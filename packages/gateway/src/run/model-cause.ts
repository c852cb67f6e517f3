import { withoutUndefined } from "@factotum/agent-contract";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import type { ModelCause } from "../requests/model-chain.ts";
import { chargedKind } from "../run-policy/input-traits.ts";

/** What the requests of a turn are charged to: the run that originally started it, and for a sub-agent also the budget of its tree. */
export function modelCause({ turn, facts, agent, inputs }: Pick<PreparedTurn, "turn" | "facts" | "agent" | "inputs">): ModelCause {
  const { kind, sessionKey } = turn;
  const tree = kind === "subagent" ? inputs.find(({ admission }) => admission.tree !== undefined)?.admission.tree : undefined;
  return {
    agentId: agent.config.id,
    kind,
    sessionKey,
    owner: facts.owner,
    chargedTo: chargedKind(kind, inputs),
    ...withoutUndefined({ tree }),
  };
}
