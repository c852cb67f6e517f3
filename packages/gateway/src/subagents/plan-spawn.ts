import { commandSandbox, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random, RunFacts, SpawnRequest, ToolCaller } from "@factotum/agent-contract";
import { cutText, renderSubagentContext } from "@factotum/agent-core";
import type { InputAdmission, InputRecord, JobBounds, NewSpawn, SpawnFacts, Store } from "@factotum/store";
import { modelProblem } from "../agents/model-problem.ts";
import { confinementOf, placeOfRun } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { unknownTools } from "../agents/unknown-tools.ts";
import { turnReport } from "../background-commands/turn-report.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { readAskingTurn } from "../queue/asking-turn.ts";
import type { AskingTurn } from "../queue/asking-turn.ts";
import { groupOf } from "../conversation/session-context.ts";
import { agentSessionKey } from "../routing/session-key.ts";
import { chargedKind } from "../run-policy/input-traits.ts";
import { schemaProblem } from "./check-result.ts";
import type { SpawnBook } from "./spawn-book.ts";

const DEFAULT_TIMEOUT_S = 60 * 60;
const MAX_NAME_CHARS = 60;

/** Tools that are useless to a sub-agent that may not start others. */
const NOT_FOR_LEAVES: readonly string[] = ["sessions_*", "subagents"];

/** What planning reads. */
export interface PlanSpawnParts {
  readonly store: Pick<Store, "readInput" | "readSession" | "readTurn">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly book: SpawnBook;
  /** Sub-agents of a session that are accepted and not stored yet. */
  readonly unstored: (sessionKey: string) => number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Why a task is not taken; for the model. */
export interface SpawnRefusal {
  readonly refusal: string;
}

/**
 * Plans a sub-agent: within the limits of its tree, and with at most the rights of the turn that asks for it: its sender, its address, which decides about groups
 * and sandbox, its taint, and the restrictions of its own run.
 */
export async function planSpawn(
  request: SpawnRequest,
  { run, tainted }: ToolCaller,
  parts: PlanSpawnParts,
): Promise<NewSpawn | SpawnRefusal> {
  const { store, running, book, clock, random } = parts;
  const limits = running.agent(run.agentId).config.subagents;
  const own = book.ofChild(run.sessionKey);
  const depth = (own?.depth ?? 0) + 1;
  const maxDepth = own?.maxDepth ?? limits.maxDepth;
  const agentId = (request.agentId ?? run.agentId).toLowerCase();
  const limited = limitRefusal(run, { depth, maxDepth, agentId }, parts);
  if (limited !== undefined) return limited;
  const asking = await readAskingTurn(run.runId, store);
  if (asking === undefined) return refused("No message asked for this run, so a result could be reported nowhere.");
  const problem = await requestProblem(request, agentId, running);
  if (problem !== undefined) return refused(problem);
  const id = random.uuid();
  const childKey = agentSessionKey(agentId, "subagent", id);
  const { admission } = asking.lead;
  const facts: SpawnFacts = { id, parentKey: run.sessionKey, rootKey: own?.rootKey ?? run.sessionKey, depth, maxDepth };
  const model = request.model ?? (agentId === run.agentId ? await modelOf(asking.lead, run, store) : undefined);
  const bounds = boundsOf(request, { id, model, isLeaf: depth >= maxDepth, asking, run }, parts);
  const cause = chargedKind(run.kind, asking.inputs);
  const tree = admission.tree ?? { id: run.runId, ...withoutUndefined({ tokens: limits.budget.tokens, usd: limits.budget.usd }) };
  const base = await turnReport(`subagent-end:${id}`, { run, tainted }, parts);
  const { replyTo: _reply, ...authority } = base.admission;
  const { replyContext: _context, ...address } = base.message;
  const outputSchema = request.outputSchema === undefined ? undefined : JSON.stringify(request.outputSchema);
  const named = withoutUndefined({ role: request.label, outputSchema });
  const extra = renderSubagentContext({ requester: run.agentId, task: request.task, depth, maxDepth, attachments: [], ...named });
  const child: InputAdmission = {
    ...authority,
    kind: "subagent",
    sessionKey: childKey,
    agentId,
    cause,
    tree,
    spawn: facts,
    job: bounds,
    extra,
    ...withoutUndefined({ confinement: confinementOf(run) }),
  };
  const nowMs = clock.now();
  return {
    spawn: {
      id,
      parentKey: run.sessionKey,
      parentSessionId: run.sessionId,
      parentTurnId: run.runId,
      rootKey: facts.rootKey,
      childKey,
      agentId,
      depth,
      maxDepth,
      task: request.task,
      ...withoutUndefined({ label: request.label, outputSchema: request.outputSchema }),
      cleanup: request.cleanup ?? "keep",
      createdAtMs: nowMs,
      deadlineAtMs: nowMs + (request.runTimeoutSeconds ?? DEFAULT_TIMEOUT_S) * 1000,
      state: "queued",
      report: {
        message: base.message,
        admission: {
          ...base.admission,
          ...(admission.spawn === undefined ? { kind: "a2a" as const } : {}),
          cause,
          tree,
        },
      },
      child,
    },
    input: {
      message: { ...address, eventId: `subagent:${id}`, text: request.task },
      admission: { ...child, spawn: { ...facts, isTask: true } },
    },
  };
}

/** Why a request cannot be carried out: its model, its tools or its result schema; `undefined`: it can. */
async function requestProblem(
  { model, toolsAllow, outputSchema }: SpawnRequest,
  agentId: string,
  running: RunningConfig,
): Promise<string | undefined> {
  const problem = model === undefined ? undefined : await modelProblem(async () => running.agent(agentId).model(model));
  if (problem !== undefined) return problem;
  const unknown = toolsAllow === undefined ? undefined : unknownTools(toolsAllow, running.agent(agentId));
  if (unknown !== undefined) return `toolsAllow: ${unknown} Name tools one by one, or leave toolsAllow out.`;
  const misfit = outputSchema === undefined ? undefined : schemaProblem(outputSchema);
  return misfit === undefined ? undefined : `outputSchema cannot be used: ${misfit}`;
}

/** Why a session may start no further sub-agent, or not this one. */
function limitRefusal(
  run: RunFacts,
  { depth, maxDepth, agentId }: { readonly depth: number; readonly maxDepth: number; readonly agentId: string },
  parts: PlanSpawnParts,
): SpawnRefusal | undefined {
  const { maxChildren } = parts.running.agent(run.agentId).config.subagents;
  if (depth > maxDepth) return refused(`Rule depth: sub-agents may be nested ${maxDepth} deep (subagents.maxDepth). Do the task yourself.`);
  if (parts.book.openOf(run.sessionKey).length + parts.unstored(run.sessionKey) >= maxChildren)
    return refused(
      `Rule children: ${maxChildren} sub-agents of this session are running (subagents.maxChildren). Wait for a result, or do it yourself.`,
    );
  return agentId === run.agentId ? undefined : refusalOfAgent(agentId, run, parts);
}

function refused(refusal: string): SpawnRefusal {
  return { refusal };
}

/** Why a run may not start an agent other than its own. An agent that it may not start is like one that is not there. */
function refusalOfAgent(agentId: string, run: RunFacts, { running }: Pick<PlanSpawnParts, "running">): SpawnRefusal | undefined {
  const { allowAgents } = running.agent(run.agentId).config.subagents;
  const agent = running.agents.get(agentId);
  const isAllowed = allowAgents.some((one) => one === "*" || one.toLowerCase() === agentId);
  if (agent === undefined || !isAllowed)
    return refused(
      `Rule agents: ${JSON.stringify(agentId)} is no agent that this one may start (subagents.allowAgents). Leave agentId out.`,
    );
  const own = commandSandbox(run);
  if (own === undefined) return undefined;
  // It works for the same person in the same kind of conversation.
  const { sandbox } = placeOfRun(agent.config, { owner: run.owner, sessionKey: run.sessionKey, group: own.shared }, "/");
  const isWider = sandbox === undefined || (sandbox.network !== undefined && own.network === undefined);
  return isWider
    ? refused(`Rule sandbox: this run is sandboxed, and the agent ${agentId} would work outside of it. Leave agentId out.`)
    : undefined;
}

/** The model that was chosen for the conversation or its job; `undefined`: the agent's. */
async function modelOf({ admission }: InputRecord, { sessionKey }: RunFacts, store: PlanSpawnParts["store"]): Promise<string | undefined> {
  return admission.job?.model ?? (await store.readSession(sessionKey))?.overrides.model;
}

/** What a sub-agent is bound to: its request, within what the asking turn is bound to. */
function boundsOf(
  { label, task, thinking, toolsAllow, disableTools = false }: SpawnRequest,
  {
    id,
    model,
    isLeaf,
    asking,
    run,
  }: {
    readonly id: string;
    readonly model: string | undefined;
    readonly isLeaf: boolean;
    readonly asking: AskingTurn;
    readonly run: RunFacts;
  },
  parts: PlanSpawnParts,
): JobBounds {
  const before = asking.lead.admission.job;
  const asked = disableTools ? [] : toolsAllow;
  const tools = asked === undefined ? before?.tools : asked.filter((name) => before?.tools?.includes(name) !== false);
  const withoutTools = [
    ...new Set([...(before?.withoutTools ?? []), ...(isLeaf ? NOT_FOR_LEAVES : []), ...takenBySenders(asking, run, parts)]),
  ];
  const line = task.trim().split("\n")[0] ?? "";
  const name = label ?? cutText(line, MAX_NAME_CHARS, "…");
  return { id, name, ...withoutUndefined({ model, thinking, tools }), ...(withoutTools.length === 0 ? {} : { withoutTools }) };
}

/** Tools that the group denies to any of several senders of the turn: the sub-agent has the first sender alone, so these are denied to it explicitly. */
function takenBySenders(
  { turn, inputs }: AskingTurn,
  { agentId, sandbox }: RunFacts,
  { running, channels }: PlanSpawnParts,
): readonly string[] {
  const senders = inputs.map(({ message: { origin, sender } }) => ({ channel: origin.channel, id: sender.id }));
  const group = groupOf(turn.origin, channels);
  if (group === undefined || new Set(senders.map(({ id }) => id)).size < 2) return [];
  const agent = running.agent(agentId);
  const occasion = { provider: "", group, senders, sandboxed: sandbox !== undefined, subagent: false };
  return agent
    .loadedTools()
    .map(({ name }) => name)
    .filter((name) => agent.toolVerdicts(name, occasion).some(({ layer, admits }) => layer === "sender" && !admits));
}
