import type { AgentStatus, GatewayStatus } from "@factotum/protocol";
import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import { clampThinking } from "@factotum/models";
import type { StoreCounts } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ModelSource } from "../agents/model-source.ts";
import { webhookUrl } from "../channels/webhook-url.ts";
import type { Engine } from "../engine/engine.ts";
import type { FailedRuns } from "../observe/failed-runs.ts";
import { admittingCommand } from "../observe/refused-senders.ts";
import { pairingRequest } from "../rpc/pairing-handlers.ts";
import { restingModels } from "../agents/resting-models.ts";

/** Facts that the gateway knows and the engine does not. */
export interface StatusFacts {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly url: string;
  readonly home: string;
  readonly config: GatewayStatus["config"];
}

/** The contents of `status`, read now. */
export async function gatewayStatus(engine: Engine, facts: StatusFacts): Promise<GatewayStatus> {
  const { store, channels, failedRuns, running } = engine.parts;
  const { agents, models } = running;
  const counts = await store.counts();
  const { costUsd, total } = counts.usage;
  const { publicUrl } = running.config.gateway;
  return {
    ...facts,
    ...withoutUndefined({ publicUrl }),
    agents: await Promise.all(agents.list().map((agent) => agentStatus(agent, { models, failedRuns }))),
    storage: storageStatus(engine.parts.storage),
    damage: engine.damage.list(),
    resting: restingModels(engine.parts),
    channels: await Promise.all(
      channels.status().map(async (account) => {
        const listens = account.inbound?.transport === "webhook" && channels.isStarted(account);
        return {
          ...account,
          ...withoutUndefined({ webhookUrl: listens ? webhookUrl(publicUrl ?? facts.url, account) : undefined }),
          ...((await channels.hasOldSecret(account)) && { hasOldSecret: true }),
        };
      }),
    ),
    refused: refusedStatus(engine.parts),
    pairing: { pending: engine.pairing.pending().map(pairingRequest), approved: engine.parts.paired.size },
    sessions: { total: counts.sessions, running: engine.activeTurns },
    // Events wait for the next message, which is not a backlog.
    inputs: { waiting: Math.max(0, counts.inputsWaiting - engine.parts.pendingEvents.size), deadLettered: counts.inputsDead },
    outbox: outboxStatus(counts, engine),
    schedule: await engine.schedule.report(),
    usage: { totalTokens: total, ...withoutUndefined({ costUsd }) },
  };
}

function outboxStatus(
  { outboxWaiting, outboxOldestMs, outboxDead, outboxAmbiguous }: StoreCounts,
  { parts: { dispatcher } }: Engine,
): GatewayStatus["outbox"] {
  return {
    waiting: waitingToLeave(outboxWaiting, dispatcher),
    ...withoutUndefined({ oldestAtMs: outboxOldestMs }),
    deadLettered: outboxDead,
    ambiguous: outboxAmbiguous,
    blocked: dispatcher.blocked.map(({ sessionKey, target, waiting, sinceMs, reason, nextTryMs }) => {
      const { id: conversation, threadId } = target.conversation;
      const address = {
        channel: target.channel,
        accountId: target.accountId,
        conversation,
        ...withoutUndefined({ threadId }),
      };
      return { sessionKey, ...address, waiting, sinceMs, reason, nextTryMs };
    }),
  };
}

/** Maximum listed parties; all are counted. */
const MAX_REFUSED = 20;

function refusedStatus({ refused, policy }: Engine["parts"]): GatewayStatus["refused"] {
  const { messages, parties } = refused.list((message) => policy.missingFor(message));
  const senders = parties
    .slice(0, MAX_REFUSED)
    .map(({ missing, ...one }) => ({ ...one, ...withoutUndefined({ admit: admittingCommand(one, missing) }) }));
  return { messages, senders };
}

function storageStatus({ problem, shortage }: Engine["parts"]["storage"]): GatewayStatus["storage"] {
  if (problem !== undefined) return { state: "full", detail: problem.reason, sinceMs: problem.sinceMs };
  return shortage === undefined ? { state: "ok" } : { state: "low", detail: shortage };
}

async function agentStatus(
  agent: AgentRuntime,
  { models, failedRuns }: { readonly models: ModelSource; readonly failedRuns: FailedRuns },
): Promise<AgentStatus> {
  const { id } = agent.config;
  const failed = failedRuns.of(id);
  const base = {
    id,
    name: agent.name ?? id,
    ...(failed === undefined ? {} : { lastFailure: { text: failed.text, atMs: failed.atMs } }),
  };
  try {
    const model = await agent.model(undefined);
    const { reference, candidates, client } = model;
    const credentials = candidates.flatMap(({ credential }) => credential ?? []);
    const { thinking } = agent.config;
    const thinkingNote = thinking === undefined ? undefined : clampThinking(client.info, thinking).note;
    const notes = [thinkingNote, await models.serverNote(model)].flatMap((note) => note ?? []);
    return {
      ...base,
      model: reference,
      ...(credentials.length === 0 ? {} : { credentials }),
      ...(notes.length === 0 ? {} : { modelNote: notes.join(" ") }),
    };
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    return { ...base, model: agent.config.model?.primary ?? "", modelProblem: error.message };
  }
}

/** Unsent rows that are not being sent right now. */
export function waitingToLeave(outboxWaiting: number, { sending }: Engine["parts"]["dispatcher"]): number {
  return Math.max(0, outboxWaiting - sending);
}
