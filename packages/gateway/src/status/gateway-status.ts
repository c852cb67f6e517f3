import type { GatewayStatus } from "@factotum/protocol";
import { ModelError } from "@factotum/agent-contract";
import type { Engine } from "../engine.ts";

/** What the gateway knows of itself and the engine does not. */
export interface StatusFacts {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly url: string;
  readonly home: string;
  readonly config: GatewayStatus["config"];
}

/** Everything `status` says, read now. */
export async function gatewayStatus(engine: Engine, facts: StatusFacts): Promise<GatewayStatus> {
  const { store, agents, channels } = engine.services;
  const counts = await store.counts();
  const { costUsd, total } = counts.usage;
  return {
    ...facts,
    agents: await Promise.all(
      agents.list().map(async (agent) => {
        const base = { id: agent.config.id, name: agent.name ?? agent.config.id };
        try {
          return { ...base, model: (await agent.model(undefined)).reference };
        } catch (error) {
          if (!ModelError.isInstance(error)) throw error;
          return { ...base, model: agent.config.model?.primary ?? "", modelProblem: error.message };
        }
      }),
    ),
    channels: channels.status(),
    sessions: { total: counts.sessions, running: engine.running },
    inputs: { waiting: counts.inputsWaiting, deadLettered: counts.inputsDead },
    outbox: { waiting: counts.outboxWaiting, deadLettered: counts.outboxDead, ambiguous: counts.outboxAmbiguous },
    usage: { totalTokens: total, ...(costUsd === undefined ? {} : { costUsd }) },
  };
}
