import { commandSandbox, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random, RunFacts, SpawnRequest, Subagents } from "@factotum/agent-contract";
import { contextBudget, renderSubagentContext } from "@factotum/agent-core";
import { matchesTool } from "@factotum/config";
import type { InputAdmission, TaskBounds, NewSpawn, SpawnFacts, SpawnRecord, Store } from "@factotum/store";
import { externalAgentOf } from "../agents/external-agent.ts";
import { modelProblem } from "../agents/model-problem.ts";
import { confinementOf } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { NOT_FOR_SUBAGENTS } from "../agents/policy-layers.ts";
import { unknownTools } from "../agents/unknown-tools.ts";
import { turnReport } from "../background-commands/turn-report.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { agentRefusal } from "./agent-refusal.ts";
import { attachmentPaths } from "./attachment-folders.ts";
import { readAskingTurn } from "../queue/asking-turn.ts";
import type { AskingTurn } from "../queue/asking-turn.ts";
import { groupOf } from "../conversation/session-context.ts";
import { agentSessionKey } from "../routing/session-key.ts";
import { chargedKind } from "../run-policy/input-traits.ts";
import { schemaProblem } from "./check-result.ts";
import { targetOf, taskText, type SpawnRefusal } from "./spawn-target.ts";
import { offeredAgents } from "./offered-agents.ts";
import { forkConversation } from "./fork-conversation.ts";
import type { Fork, ForkStore } from "./fork-conversation.ts";
import type { SpawnBook } from "./spawn-book.ts";
import { spawnTitle } from "./spawn-title.ts";

const DEFAULT_TIMEOUT_S = 60 * 60;
const MAX_NAME_CHARS = 60;

/** Tools that are useless to a sub-agent that may not start others. */
const NOT_FOR_LEAVES: readonly string[] = ["sessions_*", "subagents"];

/** What planning reads. */
export interface PlanSpawnParts {
  readonly store: Pick<Store, "readInput" | "readSession" | "readTurn"> & ForkStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly book: SpawnBook;
  /** Sub-agents of a session that are accepted and not stored yet. */
  readonly unstored: (sessionKey: string) => number;
  readonly clock: Clock;
  readonly random: Random;
}

/** A sub-agent to start, and the folder that it will work in. */
export interface PlannedSpawn extends NewSpawn {
  readonly workspace: string;
}

/** The run that asks, and its call. */
type SpawnCaller = Parameters<Subagents["spawn"]>[1];

/** Where a sub-agent is in its tree. */
interface TreePlace {
  readonly id: string;
  readonly childKey: string;
  readonly agentId: string;
  readonly depth: number;
  readonly maxDepth: number;
  readonly rootKey: string;
}

/**
 * Plans a sub-agent: within the limits of its tree, and with at most the rights of the turn that asks for it: its sender, its address, which decides about groups
 * and sandbox, its folder, its taint, and the restrictions of its own run.
 */
export async function planSpawn(request: SpawnRequest, caller: SpawnCaller, parts: PlanSpawnParts): Promise<PlannedSpawn | SpawnRefusal> {
  const { store, running, clock } = parts;
  const { run } = caller;
  const target = targetOf(request, caller, running);
  if ("refusal" in target) return target;
  const place = placeInTree(target.agentId, run, parts);
  const { id, agentId, childKey } = place;
  const limited = limitRefusal(run, place, parts);
  if (limited !== undefined) return limited;
  const problem = await requestProblem(request, place, running);
  if (problem !== undefined) return refused(problem);
  const asking = await readAskingTurn(run.runId, store);
  if (asking === undefined) return refused("No message asked for this run, so a result could be reported nowhere.");
  const { admission } = asking.lead;
  const session = await store.readSession(run.sessionKey);
  const workspace = session?.overrides.workspace;
  const ownModel = withoutExternal(admission.job?.model ?? session?.overrides.model);
  const model = target.model ?? (agentId === run.agentId ? ownModel : undefined);
  const fork = request.context === "fork" ? await forkOf({ caller, agentId, model, ownModel }, parts) : undefined;
  if (fork?.type === "refused") return refused(fork.reason);
  const base = await turnReport(`subagent-end:${id}`, caller, parts);
  const { replyTo: _reply, subagent: _around, ...authority } = base.admission;
  const { replyContext: _context, ...address } = base.message;
  const { budget } = running.agent(run.agentId).config.subagents;
  const origin = {
    cause: chargedKind(run.kind, asking.inputs),
    tree: admission.tree ?? { id: run.runId, ...withoutUndefined({ tokens: budget.tokens, usd: budget.usd }) },
  };
  const { rootKey, depth, maxDepth } = place;
  const occasion = { owner: run.owner, sessionKey: childKey, group: address.origin.conversation.kind !== "direct", workspace };
  const { folder, sandbox } = await running.agents.placeFor(running.agent(agentId), occasion);
  const job = boundsOf(
    { ...request, ...withoutUndefined({ thinking: request.thinking ?? fork?.thinking }) },
    { place, model, workspace, asking, run },
    parts,
  );
  const { origin: at } = address;
  const offered = { agentId, model, sandbox: commandSandbox(run) ?? sandbox, origin: at, asking, bounds: job, isSubagent: true };
  const externalAgents = await offeredAgents({ ...offered, owner: run.owner, tainted: caller.tainted }, parts);
  const persistence = request.mode === "session" ? ({ isPersistent: true } as const) : {};
  const facts: SpawnFacts = { id, parentKey: run.sessionKey, rootKey, depth, maxDepth, ...persistence };
  const child: InputAdmission = {
    ...authority,
    kind: "subagent",
    sessionKey: childKey,
    agentId,
    ...origin,
    spawn: facts,
    job,
    extra: contextOf(request, { ...place, externalAgents }, run),
    ...withoutUndefined({ confinement: confinementOf(run) }),
  };
  const task = { ...facts, isTask: true as const, ...(fork === undefined ? {} : { isFork: true as const }) };
  const report = { ...base.admission, ...(admission.spawn === undefined ? { kind: "a2a" as const } : {}), ...origin };
  return {
    workspace: folder,
    spawn: {
      ...rowOf(request, place, { run, nowMs: clock.now() }),
      report: { message: base.message, admission: report },
      child,
    },
    input: {
      message: { ...address, eventId: `subagent:${id}`, text: taskText(request, { id, workspace: folder }) },
      admission: { ...child, spawn: task, ...withoutUndefined({ history: fork?.messages, fork: fork?.prompt }) },
    },
  };
}

/** Sub-agents do not work with the external agent that answers in a session: that is asked for by name, and decided on as a command. */
function withoutExternal(reference: string | undefined): string | undefined {
  return externalAgentOf(reference) === undefined ? reference : undefined;
}

/**
 * The conversation of the run as the sub-agent starts with it. With another model it has a prompt and a level of thinking of its own: nothing is in that
 * model's cache, and its tools may be others.
 */
async function forkOf(
  {
    caller,
    agentId,
    model,
    ownModel,
  }: {
    readonly caller: SpawnCaller;
    readonly agentId: string;
    readonly model: string | undefined;
    readonly ownModel: string | undefined;
  },
  { running, store }: PlanSpawnParts,
): Promise<Fork> {
  if (agentId !== caller.run.agentId)
    return { type: "refused", reason: "Rule fork: another agent cannot start with this conversation. Leave context or agentId out." };
  const agent = running.agent(agentId);
  const [chosen, own] = await Promise.all([agent.model(model), agent.model(ownModel)]);
  const { maxContext } = contextBudget({ window: chosen.client.info.contextWindow });
  const fork = await forkConversation({ ...caller, maxTokens: maxContext }, store);
  if (fork.type === "refused" || chosen.reference === own.reference) return fork;
  return { type: "forked", messages: fork.messages };
}

function placeInTree(agentId: string, run: RunFacts, { book, running, random }: PlanSpawnParts): TreePlace {
  const own = book.ofChild(run.sessionKey);
  const id = random.uuid();
  return {
    id,
    childKey: agentSessionKey(agentId, "subagent", id),
    agentId,
    depth: (own?.depth ?? 0) + 1,
    maxDepth: own?.maxDepth ?? running.agent(run.agentId).config.subagents.maxDepth,
    rootKey: own?.rootKey ?? run.sessionKey,
  };
}

/** What the sub-agent is told of its task and its place. */
function contextOf(
  { task, label, outputSchema, mode, attachments = [] }: SpawnRequest,
  { id, depth, maxDepth, externalAgents }: TreePlace & { readonly externalAgents: readonly string[] },
  { agentId: requester }: RunFacts,
): string {
  const schema = outputSchema === undefined ? undefined : JSON.stringify(outputSchema);
  const given = withoutUndefined({ role: label, outputSchema: schema, isPersistent: mode === "session" ? (true as const) : undefined });
  const place = { depth, maxDepth, externalAgents };
  return renderSubagentContext({ requester, task, ...place, attachments: attachmentPaths(id, attachments), ...given });
}

function rowOf(
  request: SpawnRequest,
  { id, rootKey, childKey, agentId, depth, maxDepth }: TreePlace,
  { run, nowMs }: { readonly run: RunFacts; readonly nowMs: number },
): Omit<SpawnRecord, "report" | "child"> {
  const { task, label, outputSchema, mode, cleanup = "keep" } = request;
  return {
    id,
    parentKey: run.sessionKey,
    parentSessionId: run.sessionId,
    parentTurnId: run.runId,
    rootKey,
    childKey,
    agentId,
    depth,
    maxDepth,
    task,
    ...withoutUndefined({ label, outputSchema }),
    cleanup,
    ...(mode === "session" ? { isPersistent: true } : {}),
    ...timesOf(request, nowMs),
    state: "queued",
  };
}

/** When a sub-agent begins, and how long its runs may take: its first one from now, those of a persistent one each from its beginning. */
function timesOf(
  { mode, runTimeoutSeconds = DEFAULT_TIMEOUT_S }: SpawnRequest,
  createdAtMs: number,
): Pick<NewSpawn["spawn"], "createdAtMs" | "deadlineAtMs" | "runTimeoutMs"> {
  const runTimeoutMs = runTimeoutSeconds * 1000;
  return { createdAtMs, deadlineAtMs: createdAtMs + runTimeoutMs, ...(mode === "session" ? { runTimeoutMs } : {}) };
}

/** Why a request cannot be carried out: its model, its tools or its result schema; `undefined`: it can. */
async function requestProblem(
  { model, toolsAllow, outputSchema }: SpawnRequest,
  { agentId, depth, maxDepth }: TreePlace,
  running: RunningConfig,
): Promise<string | undefined> {
  const problem = model === undefined ? undefined : await modelProblem(async () => running.agent(agentId).model(model));
  if (problem !== undefined) return problem;
  const unknown = toolsAllow === undefined ? undefined : unknownTools(toolsAllow, running.agent(agentId));
  if (unknown !== undefined) return `toolsAllow: ${unknown} Name tools one by one, or leave toolsAllow out.`;
  const never = [...NOT_FOR_SUBAGENTS.deny, ...(depth < maxDepth ? [] : NOT_FOR_LEAVES)];
  const lacked = (toolsAllow ?? []).filter((name) => never.some((entry) => matchesTool(entry, name)));
  if (lacked.length > 0)
    return `toolsAllow: this sub-agent can have no ${lacked.join(", ")}. Leave that out, and do yourself what needs it.`;
  const misfit = outputSchema === undefined ? undefined : schemaProblem(outputSchema);
  return misfit === undefined ? undefined : `outputSchema cannot be used: ${misfit}`;
}

/** Why a session may start no further sub-agent, or not this one. */
function limitRefusal(run: RunFacts, { depth, maxDepth, agentId }: TreePlace, parts: PlanSpawnParts): SpawnRefusal | undefined {
  const { maxChildren } = parts.running.agent(run.agentId).config.subagents;
  if (depth > maxDepth) return refused(`Rule depth: sub-agents may be nested ${maxDepth} deep (subagents.maxDepth). Do the task yourself.`);
  if (parts.book.openOf(run.sessionKey).length + parts.unstored(run.sessionKey) >= maxChildren)
    return refused(
      `Rule children: ${maxChildren} sub-agents of this session are open (subagents.maxChildren). Wait for a result, end one that is idle, or do it yourself.`,
    );
  const refusal = agentId === run.agentId ? undefined : agentRefusal(agentId, run, parts);
  return refusal === undefined ? undefined : refused(refusal);
}

function refused(refusal: string): SpawnRefusal {
  return { refusal };
}

/** What a sub-agent is bound to: its request, within what the asking turn is bound to. */
function boundsOf(
  { label, task, thinking, toolsAllow, disableTools = false }: SpawnRequest,
  {
    place: { id, depth, maxDepth },
    model,
    workspace,
    asking,
    run,
  }: {
    readonly place: TreePlace;
    readonly model: string | undefined;
    readonly workspace: string | undefined;
    readonly asking: AskingTurn;
    readonly run: RunFacts;
  },
  parts: PlanSpawnParts,
): TaskBounds {
  const before = asking.lead.admission.job;
  const asked = disableTools ? [] : toolsAllow;
  const tools = asked === undefined ? before?.tools : asked.filter((name) => before?.tools?.includes(name) !== false);
  const withoutTools = [
    ...new Set([...(before?.withoutTools ?? []), ...(depth >= maxDepth ? NOT_FOR_LEAVES : []), ...takenBySenders(asking, run, parts)]),
  ];
  const name = spawnTitle({ label, task }, MAX_NAME_CHARS);
  return { id, name, ...withoutUndefined({ model, thinking, workspace, tools }), ...(withoutTools.length === 0 ? {} : { withoutTools }) };
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
