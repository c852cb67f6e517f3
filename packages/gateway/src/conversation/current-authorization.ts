import type { InputPolicy } from "./input-policy.ts";
import { EXTERNAL_PERMISSION } from "@factotum/agent-contract";
import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { InputRecord, TurnRecord } from "@factotum/store";
import { asOfAuthor, withPresentOwner } from "../access/owner.ts";
import { externalPlaceProblem, externalProblem } from "../agents/external-agent.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { mayElevate } from "./elevation.ts";
import { groupOf } from "./session-context.ts";
import { modeRefusal } from "./session-mode.ts";
import type { SessionMode } from "./session-mode.ts";
import { inputsOf, leadInput, withMessages } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { FactotumConfig } from "@factotum/config";
import { traitsOf } from "../access/tool-gate.ts";
import type { GateDecision, ToolGate } from "../access/tool-gate.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isSubagentKey } from "../routing/session-key.ts";
import { isWithinBounds } from "../agents/task-bounds.ts";

/** Reason of work that ended because its sender is no longer admitted. */
export const SENDER_REVOKED = "its sender is no longer admitted here";

/** The run that makes a tool call, as far as authorization needs it. */
interface CallingRun {
  readonly prepared: { readonly turn: TurnRecord; readonly facts: RunFacts; readonly model: ResolvedModel };
  /** All messages of the run so far. */
  readonly inputs: readonly InputRecord[];
  readonly tainted: boolean;
  /** Of the conversation now. */
  readonly mode: SessionMode;
  /** As `GatedRun` of the gate has it. */
  readonly isGiven: (address: string) => boolean;
}

/** A job after reauthorization. */
interface ReauthorizedJob {
  /** The inputs that are still allowed here, with the lowest authority among them; `undefined` if none is left. */
  readonly job: InputJob | undefined;
  /** Inputs that belong to another session now. */
  readonly moved: readonly InputRecord[];
  readonly rejected: readonly InputRecord[];
}

/**
 * True if an input must no longer run in a session: the running configuration keeps it out of that session, or routes its sender, who is not the owner, to
 * another one; or another conversation has moved to its address, whose session it continues. Otherwise inputs of the owner stay.
 */
export function isMisplaced(sessionKey: string, input: InputRecord, policy: Pick<InputPolicy, "routeOf">, config: FactotumConfig): boolean {
  const route = policy.routeOf(input);
  if (route.sessionKey === sessionKey) return false;
  return (
    route.keptOutOf === sessionKey ||
    route.ownKey === sessionKey ||
    !withPresentOwner(input, config.commands.ownerAllowFrom).admission.owner
  );
}

/** Authorizes a waiting job again when it starts: the configuration may have changed since it arrived. */
export function reauthorizeJob(
  sessionKey: string,
  waited: InputJob,
  policy: Pick<InputPolicy, "admits" | "routeOf">,
  config: FactotumConfig,
): ReauthorizedJob {
  const { ownerAllowFrom } = config.commands;
  const everything = inputsOf(waited).map((input) => withPresentOwner(input, ownerAllowFrom));
  const rejected = everything.filter((input) => !policy.admits(input) || hasLostFocus(input));
  const moved = everything.filter((input) => !rejected.includes(input) && isMisplaced(sessionKey, input, policy, config));
  const all = everything.filter((input) => !rejected.includes(input) && !moved.includes(input));
  const owner = all.every(({ admission }) => admission.owner);
  const judged = new Map(all.map((input) => [input.id, { ...input, admission: { ...input.admission, owner } }]));
  const admitted = (input: InputRecord): readonly InputRecord[] => {
    const present = judged.get(input.id);
    return present === undefined ? [] : [present];
  };
  const messages = waited.messages.flatMap(({ input, ...rest }) => admitted(input).map((present) => ({ ...rest, input: present })));
  const job = withMessages(waited, messages, waited.overflow.flatMap(admitted));
  // Overflow lines need a turn: without one they start their own.
  return { job, moved: job === undefined ? [...moved, ...all] : moved, rejected };
}

/** True for what a former owner has said in a focused conversation: it names a session in which only the owner could speak. It is asked with its present authority. */
export function hasLostFocus({ admission: { focus, isListedOwner, owner } }: Pick<InputRecord, "admission">): boolean {
  return focus !== undefined && isListedOwner === true && !owner;
}

/** Whether all senders of a job are still allowed, in its session and with the original authority. */
export function hasKeptAuthority(
  sessionKey: string,
  waited: InputJob,
  policy: Pick<InputPolicy, "admits" | "routeOf">,
  config: FactotumConfig,
): boolean {
  const { job, moved, rejected } = reauthorizeJob(sessionKey, waited, policy, config);
  if (job === undefined || moved.length > 0 || rejected.length > 0) return false;
  return leadInput(job).admission.owner === leadInput(waited).admission.owner;
}

/** A resumed turn with the current authority of its inputs; an unknown sender has none. */
export function withCurrentAuthorization(turn: TurnRecord, inputs: readonly InputRecord[], config: FactotumConfig): TurnRecord {
  return { ...turn, owner: turn.owner && inputs.length === turn.inputIds.length && areOwners(inputs, config) };
}

/** The current facts for the tools of a run: its owner may have lost that role since it began. */
export function currentFacts(facts: RunFacts, inputs: readonly InputRecord[], config: FactotumConfig): RunFacts {
  return { ...facts, owner: facts.owner && areOwners(inputs, config) };
}

/**
 * Authorizes a call by the current policy. A run that started as the owner's works where only the owner may: once it is no longer the owner's, all its calls
 * are refused.
 */
export function checkCall(
  call: ToolCall,
  tool: AgentTool,
  { prepared, inputs, tainted, mode, isGiven }: CallingRun,
  { running, channels, toolGate }: { readonly running: RunningConfig; readonly channels: ChannelRegistry; readonly toolGate: ToolGate },
): GateDecision {
  const { turn, facts, model } = prepared;
  if (facts.owner && !areOwners(inputs, running.config))
    return { type: "refuse", message: `${tool.name} was refused. Rule owner: the person it was for is no longer the owner.` };
  const policed = { turn, facts, inputs, provider: model.client.info.provider };
  const names = countedAs(call, tool);
  const refusal =
    first(names, (name) => boundsRefusal(name, inputs)) ??
    confinementRefusal(call, tool, { facts, inputs }) ??
    first(names, (name) => policyRefusal(name, policed, { running, channels })) ??
    attachmentRefusal(call, policed, { running, channels }) ??
    modeRefusal(call, tool, mode) ??
    elevationRefusal(call, tool, { facts, inputs }, running) ??
    (facts.owner ? externalStartRefusal(call, tool, { facts, tainted }, running) : undefined);
  if (refusal !== undefined) return { type: "refuse", message: refusal };
  return toolGate.check(call, tool, { facts, origin: turn.origin, tainted, isGiven });
}

/** The tools that a call has to be allowed as: what an external agent does itself counts as a command, and so does its start. */
function countedAs(call: ToolCall, tool: AgentTool): readonly string[] {
  if (tool.name === EXTERNAL_PERMISSION) return ["exec"];
  const startsProgram = tool.name === "sessions_spawn" && traitsOf(call, tool).effect === "execute";
  return startsProgram ? [tool.name, "exec"] : [tool.name];
}

/** Files for a sub-agent are written into its workspace: a run that may write none hands none over, since the sub-agent has at most its rights. */
function attachmentRefusal(
  { name, arguments: { attachments } }: ToolCall,
  run: Parameters<typeof policyRefusal>[1],
  options: Parameters<typeof policyRefusal>[2],
): string | undefined {
  if (name !== "sessions_spawn" || !Array.isArray(attachments) || attachments.length === 0) return undefined;
  const isReadOnly = run.facts.sandbox?.workspaceAccess === "ro";
  if (!isReadOnly && boundsRefusal("write", run.inputs) === undefined && policyRefusal("write", run, options) === undefined)
    return undefined;
  const reason = isReadOnly ? 'its workspace is read-only (workspaceAccess is "ro")' : "it does not have the tool write";
  return `${name} was refused. Rule attachments: they are files that this turn would write, and ${reason}. Put their text into the task, or name files that the sub-agent can read.`;
}

/** A start of an external agent that can only fail, where the run works or because there is no such agent: the owner is not asked about it. */
function externalStartRefusal(
  call: ToolCall,
  tool: AgentTool,
  { facts, tainted }: { readonly facts: RunFacts; readonly tainted: boolean },
  running: RunningConfig,
): string | undefined {
  const { agentId } = call.arguments;
  if (!countedAs(call, tool).includes("exec") || tool.name !== "sessions_spawn" || typeof agentId !== "string") return undefined;
  return externalPlaceProblem(facts, tainted) ?? externalProblem(agentId.trim(), running.config);
}

function first<Value>(names: readonly string[], of: (name: string) => Value | undefined): Value | undefined {
  return names.map((name) => of(name)).find((value) => value !== undefined);
}

/**
 * Why the current tool policy refuses a tool to a run, for the model; `undefined` if it does not. Everybody whose message is in the run narrows it: a message
 * that is steered into it can take tools away for the rest of the run, and give none.
 */
export function policyRefusal(
  name: string,
  run: {
    readonly turn: Pick<TurnRecord, "agentId" | "sessionKey" | "origin">;
    readonly facts: Pick<RunFacts, "sandbox">;
    readonly inputs: readonly InputRecord[];
    readonly provider: string;
  },
  { running, channels }: { readonly running: RunningConfig; readonly channels: ChannelRegistry },
): string | undefined {
  const { turn, facts, inputs, provider } = run;
  const [sandboxed, subagent] = [facts.sandbox !== undefined, isSubagentKey(turn.sessionKey)];
  const places = [{ origin: turn.origin, inputs }, ...inputs.flatMap(placeOfAuthor)];
  const removed = places
    .flatMap((place) => {
      const senders = place.inputs.map(({ message: { origin, sender } }) => ({ channel: origin.channel, id: sender.id }));
      const occasion = { provider, group: groupOf(place.origin, channels), senders, sandboxed, subagent };
      return running.agent(turn.agentId).toolVerdicts(name, occasion);
    })
    .find(({ admits }) => !admits);
  switch (removed?.layer) {
    case undefined:
      return undefined;
    case "sender":
      return `${name} was refused. Rule sender: the people whose messages this turn answers do not all have it (${removed.key}).`;
    case "sandbox":
      return `${name} was refused. Rule sandbox: sandboxed turns do not have it (${removed.key}).`;
    case "exec":
    case "global":
    case "agent":
    case "provider":
    case "group":
      return withdrawnText(name);
    case "subagent":
      return `${name} was refused. Rule subagent: sub-agents do not have it (${removed.key}).`;
  }
}

/** The place where the author of an input wrote, if that was another session: the rules of a group there also apply to what it causes elsewhere. */
function placeOfAuthor(input: InputRecord): readonly { readonly origin: Origin; readonly inputs: readonly InputRecord[] }[] {
  const { author } = input.admission;
  return author === undefined ? [] : [{ origin: author.origin, inputs: [asOfAuthor(input)] }];
}

/** Why the bounds of a run refuse a tool: those of its scheduled job, its webhook, or its task as a sub-agent. */
function boundsRefusal(name: string, inputs: readonly InputRecord[]): string | undefined {
  const bound = inputs.find(({ admission: { job } }) => job !== undefined && !isWithinBounds(name, job))?.admission;
  if (bound?.job === undefined) return undefined;
  const { job, spawn, subagent } = bound;
  const [rule, who] = (spawn ?? subagent) === undefined ? ["job", "the job or webhook"] : ["subagent", "the sub-agent"];
  const may =
    job.tools === undefined ? "may not call it" : job.tools.length === 0 ? "may call no tools" : `may call ${job.tools.join(", ")}`;
  return `${name} was refused. Rule ${rule}: ${who} ${JSON.stringify(job.name)} ${may}.`;
}

/** What a sandboxed run has caused does nothing outside of a sandbox, also after a change of the configuration. */
function confinementRefusal(
  call: ToolCall,
  tool: AgentTool,
  { facts, inputs }: { readonly facts: RunFacts; readonly inputs: readonly InputRecord[] },
): string | undefined {
  if (facts.sandbox !== undefined || traitsOf(call, tool).effect === "read") return undefined;
  if (inputs.every(({ admission }) => admission.confinement === undefined)) return undefined;
  return `${tool.name} was refused. Rule sandbox: a sandboxed turn has asked for this one, which is not sandboxed any longer.`;
}

/** A command on the host of a run that was allowed to leave its sandbox, and no longer is: by the configuration, or by a steered message. */
function elevationRefusal(
  call: ToolCall,
  tool: AgentTool,
  { facts, inputs }: { readonly facts: RunFacts; readonly inputs: readonly InputRecord[] },
  { config }: RunningConfig,
): string | undefined {
  if (facts.sandbox?.elevated !== true || traitsOf(call, tool).effect !== "execute" || mayElevate(inputs, config)) return undefined;
  return `${tool.name} was refused. Rule elevated: not everybody whose message this turn answers may have commands on the host (tools.elevated). The next turn has them in the sandbox.`;
}

/** The result of a tool call that the policy no longer allows. */
export function withdrawnText(name: string): string {
  return `${name} is no longer available: the tool policy has changed. Go on without it.`;
}

function areOwners(inputs: readonly InputRecord[], config: FactotumConfig): boolean {
  return inputs.every((input) => withPresentOwner(input, config.commands.ownerAllowFrom).admission.owner);
}
