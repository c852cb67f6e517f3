import { withoutUndefined } from "@factotum/agent-contract";
import type { RunFacts } from "@factotum/agent-contract";
import type { InboxStore, InputRecord, TurnStore } from "@factotum/store";
import { readAskingTurn } from "../queue/asking-turn.ts";
import { chargedKind, chargedTree } from "../run-policy/input-traits.ts";
import type { ModelCause } from "./model-chain.ts";

/** The run that calls a model, as far as the charge depends on it. */
type ChargedRun = Pick<RunFacts, "agentId" | "kind" | "sessionKey" | "owner">;

/** What the requests of a run are charged to: the run that originally started it, and the budget of its tree. */
export function runCause({ agentId, kind, sessionKey, owner }: ChargedRun, inputs: readonly Pick<InputRecord, "admission">[]): ModelCause {
  const tree = chargedTree(kind, inputs);
  return { agentId, kind, sessionKey, owner, chargedTo: chargedKind(kind, inputs), ...withoutUndefined({ tree }) };
}

/** The same for what a tool call of the run asks of a model. */
export async function callCause(run: RunFacts, store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">): Promise<ModelCause> {
  const { inputs = [] } = (await readAskingTurn(run.runId, store)) ?? {};
  return runCause(run, inputs);
}
