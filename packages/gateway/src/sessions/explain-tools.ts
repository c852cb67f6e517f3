import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, ToolCall } from "@factotum/agent-contract";
import { nearestName, TOOL_NAMES } from "@factotum/config";
import type { RpcMethods, ToolOccasion, ToolRule, ToolSummary } from "@factotum/protocol";
import type { SessionRecord, SessionStore } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import { isListedOwner } from "../access/owner.ts";
import { commandResource, traitsOf } from "../access/tool-gate.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { isSandboxed, sandboxReason } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { CONFIG_RULE, isConfigCall, isDecidedCommand } from "../approvals/command-rule.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isElevationChosen, maySenderElevate } from "../conversation/elevation.ts";
import { modeOf, modeRefusal } from "../conversation/session-mode.ts";
import { groupOf } from "../conversation/session-context.ts";
import { SessionRequestError } from "../kernel/session-request-error.ts";
import { parseAgentSessionKey, sessionKind } from "../routing/session-key.ts";
import type { SessionService } from "./session-service.ts";

/** Dependencies of the explanation. */
export interface ExplainToolsOptions {
  readonly store: SessionStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly sessions: SessionService;
}

type ToolQuery = RpcMethods["tools.list"]["params"];

/** A run that does not take place: what would decide about its tools. */
interface ImaginedRun {
  readonly agent: AgentRuntime;
  readonly run: ToolOccasion;
  readonly record: SessionRecord | undefined;
  readonly isGroup: boolean;
  readonly policy: Parameters<AgentRuntime["toolVerdicts"]>[1];
  /** Names of the tools that the model is told of. */
  readonly offered: ReadonlySet<string>;
  readonly exec: RunningConfig["config"]["tools"]["exec"];
  readonly problem: string | undefined;
}

/** What becomes of every loaded tool in a run. */
export async function listTools(query: ToolQuery, options: ExplainToolsOptions): Promise<RpcMethods["tools.list"]["result"]> {
  const imagined = await imagineRun(query, options);
  const tools = imagined.agent.loadedTools.map((tool) => summarise(tool, imagined));
  return { run: imagined.run, tools: tools.toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1)) };
}

/** What becomes of one tool, and what every layer of the policy says of it. */
export async function explainTool(
  { tool: written, ...query }: RpcMethods["tools.explain"]["params"],
  options: ExplainToolsOptions,
): Promise<RpcMethods["tools.explain"]["result"]> {
  const imagined = await imagineRun(query, options);
  const loaded = imagined.agent.loadedTools;
  const tool = loaded.find(({ name }) => name.toLowerCase() === written.toLowerCase());
  const name = tool?.name ?? TOOL_NAMES.find((known) => known === written.toLowerCase());
  if (name === undefined) {
    const nearest = nearestName(written, [...new Set([...loaded.map((one) => one.name), ...TOOL_NAMES])]);
    throw new SessionRequestError(
      "not-found",
      `There is no tool "${written}".${nearest === undefined ? " See them with: factotum tools list" : ` Did you mean ${nearest}?`}`,
    );
  }
  const summary = tool === undefined ? ({ name, state: "missing", reason: MISSING } as const) : summarise(tool, imagined);
  return { run: imagined.run, tool: summary, rules: rulesOf(name, imagined) };
}

const MISSING = "this gateway has not loaded it: nothing that is configured provides it";

async function imagineRun({ sender, ...query }: ToolQuery, options: ExplainToolsOptions): Promise<ImaginedRun> {
  const { store, running, channels, sessions } = options;
  const sessionKey = await sessions.resolveTarget(query);
  const record = await store.readSession(sessionKey);
  const agent = running.agent(record?.agentId ?? parseAgentSessionKey(sessionKey)?.agentId ?? "");
  const origin = record?.lastOrigin;
  const isGroup = sessionKind(sessionKey, running.config.session.mainKey) === "group";
  const { model, problem } = await modelOf(agent, record);
  const who = senderOf(sender, origin, running);
  const sandboxed = isSandboxed(sandboxReason(agent.config.sandbox.mode, { owner: who.owner, group: isGroup }));
  const sendingPerson = { owner: who.owner, channel: origin?.channel ?? "", id: who.id ?? "" };
  const group = origin === undefined ? undefined : groupOf(origin, channels);
  const provider = model?.client.info.provider ?? "";
  // The block of the session, which the model is told of: the sender does not change it.
  const isWholeSandboxed = isSandboxed(sandboxReason(agent.config.sandbox.mode, { owner: true, group: isGroup }));
  const block = model === undefined ? [] : agent.tools({ model: model.client.info, fallbacks: [], group, sandboxed: isWholeSandboxed });
  return {
    agent,
    run: {
      sessionKey,
      agentId: agent.config.id,
      owner: who.owner,
      sandboxed,
      elevated: sandboxed && isElevationChosen(record) && maySenderElevate(sendingPerson, running.config),
      mode: modeOf(record),
      ...withoutUndefined({ model: model?.reference, sender: who.id }),
    },
    record,
    isGroup,
    policy: {
      provider,
      group,
      senders: origin === undefined ? [] : [{ channel: origin.channel, id: who.id ?? "" }],
      sandboxed,
    },
    offered: new Set(block.map(({ name }) => name)),
    exec: running.config.tools.exec,
    problem,
  };
}

async function modelOf(
  agent: AgentRuntime,
  record: SessionRecord | undefined,
): Promise<{ readonly model: ResolvedModel | undefined; readonly problem: string | undefined }> {
  try {
    return { model: await agent.model(record?.overrides.model), problem: undefined };
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    return { model: undefined, problem: `no model can be used: ${error.message}` };
  }
}

/** The sender: the one that was asked for, otherwise the owner, by the id that the owner list has for this channel. */
function senderOf(
  id: string | undefined,
  origin: SessionRecord["lastOrigin"],
  { config }: RunningConfig,
): { readonly owner: boolean; readonly id: string | undefined } {
  const { ownerAllowFrom } = config.commands;
  if (id !== undefined) {
    const isOwner = origin !== undefined && isListedOwner({ origin, sender: { id, isBot: false } }, ownerAllowFrom);
    return { owner: isOwner, id };
  }
  const prefixes = origin === undefined ? [] : [`${origin.channel}:`, `${origin.channel}/${origin.accountId}:`];
  const own = ownerAllowFrom.flatMap((entry) => {
    const prefix = prefixes.find((one) => entry.startsWith(one));
    return prefix === undefined ? [] : [entry.slice(prefix.length)];
  });
  return { owner: true, id: own[0] };
}

function rulesOf(name: string, { agent, policy }: ImaginedRun): readonly ToolRule[] {
  return agent.toolVerdicts(name, policy);
}

/** The first rule that keeps a tool from running freely. */
function summarise(tool: AgentTool, imagined: ImaginedRun): ToolSummary {
  const { name } = tool;
  const { offered, run, problem, isGroup, exec } = imagined;
  const removed = rulesOf(name, imagined).find(({ admits }) => !admits);
  const isRefused = removed !== undefined && offered.has(name);
  if (removed !== undefined) return { name, state: isRefused ? "refused" : "removed", reason: describeRule(removed) };
  if (problem !== undefined) return { name, state: "removed", reason: problem };
  if (!offered.has(name)) return { name, state: "removed", reason: `the model ${run.model ?? ""} does not take it` };
  const call: ToolCall = { id: "explain", name, arguments: {} };
  const refusal = modeRefusal(call, tool, modeOf(imagined.record));
  if (refusal !== undefined) return { name, state: "refused", reason: `the mode of the conversation is ${run.mode} (/mode)` };
  const { network } = imagined.agent.config.sandbox;
  const place = { workspaceAccess: "none", shared: true } as const;
  const reached = network === "none" || network.allow.length === 0 ? {} : { network: network.allow };
  const sandbox = { ...place, ...(run.elevated ? { elevated: true as const } : reached) };
  const facts = { owner: run.owner, ...(run.sandboxed ? { sandbox } : {}) };
  const decision = authorize(
    { type: "run", owner: run.owner, tainted: isGroup || !run.owner },
    { type: "tool", effect: traitsOf(call, tool).effect },
    commandResource(call, tool, facts),
  );
  if (decision.type === "deny") return { name, state: "refused", reason: decision.reason };
  if (decision.type === "confirm") return { name, state: "asks", reason: decision.reason };
  if (isConfigCall(call, tool)) return { name, state: "asks", reason: CONFIG_RULE };
  if (isDecidedCommand(call, tool, facts, { exec, session: modeOf(imagined.record) }))
    return { name, state: "asks", reason: `tools.exec.mode is "${exec.mode}"` };
  return { name, state: "available" };
}

function describeRule({ layer, key, by, entry }: ToolRule): string {
  switch (by) {
    case "deny":
      if (layer === "exec") return entry === "apply_patch" ? "tools.exec.applyPatch is false" : 'tools.exec.mode is "deny"';
      return `${key}: deny has ${entry ?? ""}`;
    case "allow":
      return `${key}: allow does not have it`;
    case "profile":
    case "nothing":
      return `${key}: the profile ${entry ?? ""} does not have it`;
  }
}
