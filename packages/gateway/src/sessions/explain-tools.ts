import { ModelError, withoutUndefined, nearestName } from "@factotum/agent-contract";
import type { AgentTool, ToolCall } from "@factotum/agent-contract";
import { matchesTool, TOOL_NAMES } from "@factotum/config";
import type { RpcMethods, ToolOccasion, ToolRule, ToolSummary } from "@factotum/protocol";
import type { SessionRecord, SessionStore } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import { isListedOwner } from "../access/owner.ts";
import { commandResource, traitsOf } from "../access/tool-gate.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { CARRIERS, isCarrier } from "../agents/deferred/carriers.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { isSandboxed, sandboxReason } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { CONFIG_RULE, isConfigCall, isDecidedCommand } from "../approvals/command-rule.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isElevationChosen, maySenderElevate } from "../conversation/elevation.ts";
import { modeOf, modeRefusal } from "../conversation/session-mode.ts";
import { groupOf } from "../conversation/session-context.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { isSubagentKey, parseAgentSessionKey, sessionKind } from "../routing/session-key.ts";
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
  /** The tools that the policy and the model admit. */
  readonly admitted: ReadonlySet<string>;
  /** The tools that the model can call: those of the request, and those that it looks up. */
  readonly callable: ReadonlyMap<string, AgentTool>;
  readonly exec: RunningConfig["config"]["tools"]["exec"];
  readonly browserEnabled: boolean;
  readonly problem: string | undefined;
}

/** What becomes of every loaded tool in a run. */
export async function listTools(query: ToolQuery, options: ExplainToolsOptions): Promise<RpcMethods["tools.list"]["result"]> {
  const imagined = await imagineRun(query, options);
  const carriers = [...imagined.callable.values()].filter(({ name }) => isCarrier(name));
  const tools = [...imagined.agent.loadedTools(), ...carriers].map((tool) => summarise(tool, imagined));
  return { run: imagined.run, tools: tools.toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1)) };
}

/** What becomes of one tool, and what every layer of the policy says of it. */
export async function explainTool(
  { tool: written, ...query }: RpcMethods["tools.explain"]["params"],
  options: ExplainToolsOptions,
): Promise<RpcMethods["tools.explain"]["result"]> {
  const imagined = await imagineRun(query, options);
  const loaded = [...imagined.agent.loadedTools(), ...imagined.callable.values()];
  const tool = loaded.find(({ name }) => name.toLowerCase() === written.toLowerCase());
  const name = tool?.name ?? TOOL_NAMES.find((known) => known === written.toLowerCase());
  if (name === undefined) {
    const nearest = nearestName(written, [...new Set([...loaded.map((one) => one.name), ...TOOL_NAMES])]);
    throw new RpcError(
      "not-found",
      `There is no tool "${written}".${nearest === undefined ? " See them with: factotum tools list" : ` Did you mean ${nearest}?`}`,
    );
  }
  const summary = tool === undefined ? absent(name, imagined) : summarise(tool, imagined);
  return { run: imagined.run, tool: summary, rules: rulesOf(name, imagined) };
}

/** A tool that is not loaded, or one of the two that only a session with tools to look up has. */
function absent(name: string, imagined: ImaginedRun): ToolSummary {
  if (!isCarrier(name)) {
    const isOff = name === "browser" && !imagined.browserEnabled;
    return { name, state: "missing", reason: isOff ? "tools.browser.enabled is false" : MISSING };
  }
  const removed = rulesOf(name, imagined).find(({ admits }) => !admits);
  const reason = removed === undefined ? "no tool of the session has to be looked up" : describeRule(removed);
  return { name, state: "removed", reason };
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
  const subagent = isSubagentKey(sessionKey);
  const asked = model === undefined ? undefined : { model: model.client.info, fallbacks: [], group, sandboxed: isWholeSandboxed, subagent };
  const block = asked === undefined ? { offered: [], deferred: [] } : agent.toolSet(asked);
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
      subagent,
    },
    admitted: new Set(asked === undefined ? [] : agent.tools(asked).map(({ name }) => name)),
    callable: new Map([...block.offered, ...block.deferred].map((tool) => [tool.name, tool])),
    browserEnabled: running.config.tools.browser.enabled,
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

function rulesOf(name: string, { agent, policy, exec }: ImaginedRun): readonly ToolRule[] {
  return agent
    .toolVerdicts(name, policy)
    .map((rule) =>
      rule.layer === "exec" && rule.by === "nothing" && matchesTool("group:runtime", name)
        ? { ...rule, by: "mode", entry: exec.mode }
        : rule,
    );
}

/** Why a tool that the policy admits cannot be called: one of the tools through which it is called is denied, or the model does not take it. */
function unreachable(name: string, imagined: ImaginedRun): string {
  if (!imagined.admitted.has(name)) return `the model ${imagined.run.model ?? ""} does not take it`;
  const rules = CARRIERS.flatMap((carrier) => rulesOf(carrier, imagined).filter(({ admits }) => !admits));
  return `it is called through ${CARRIERS.join(" and ")}${rules[0] === undefined ? "" : `; ${describeRule(rules[0])}`}`;
}

/** The first rule that keeps a tool from running freely. */
function summarise(tool: AgentTool, imagined: ImaginedRun): ToolSummary {
  const { name } = tool;
  const { callable, run, problem, isGroup, exec } = imagined;
  const removed = rulesOf(name, imagined).find(({ admits }) => !admits);
  const isRefused = removed !== undefined && callable.has(name);
  if (removed !== undefined) return { name, state: isRefused ? "refused" : "removed", reason: describeRule(removed) };
  if (problem !== undefined) return { name, state: "removed", reason: problem };
  if (!callable.has(name)) return { name, state: "removed", reason: unreachable(name, imagined) };
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
    case "mode":
    case "nothing":
      return `${key}: the profile ${entry ?? ""} does not have it`;
  }
}
