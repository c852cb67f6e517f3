import { commandSandbox } from "@factotum/agent-contract";
import type { RunFacts } from "@factotum/agent-contract";
import { isWiderThan, placeOfRun } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";

/** Why a run may not start an agent other than its own. An agent that it may not start is like one that is not there. */
export function agentRefusal(agentId: string, run: RunFacts, { running }: { readonly running: RunningConfig }): string | undefined {
  const { allowAgents } = running.agent(run.agentId).config.subagents;
  const agent = running.agents.get(agentId);
  const isAllowed = allowAgents.some((one) => one === "*" || one.toLowerCase() === agentId);
  if (agent === undefined || !isAllowed)
    return `Rule agents: ${JSON.stringify(agentId)} is no agent that this one may start (subagents.allowAgents). Leave agentId out.`;
  const own = commandSandbox(run);
  if (own === undefined) return undefined;
  // It works for the same person in the same kind of conversation.
  const { sandbox } = placeOfRun(agent.config, { owner: run.owner, sessionKey: run.sessionKey, group: own.shared }, "/");
  return isWiderThan(own, sandbox)
    ? `Rule sandbox: this run is sandboxed, and the agent ${agentId} would work outside of it. Leave agentId out.`
    : undefined;
}
