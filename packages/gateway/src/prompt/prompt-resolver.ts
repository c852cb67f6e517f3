import { withoutUndefined } from "@factotum/agent-contract";
import type { RunKind, Clock, Logger, ModelInfo, ToolSchema } from "@factotum/agent-contract";
import { planBootstrap } from "@factotum/agent-core";
import type { BootstrapFile, EffectivePromptFacts, PromptFacts } from "@factotum/agent-core";
import { cacheLifetimeMs } from "@factotum/models";
import type { ForkedPrompt, TaskBounds, PromptRecord, TranscriptStore } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { messagingFeatures, narrowTools } from "../delivery/rich/messaging-features.ts";
import { displayId } from "../access/display-id.ts";
import { fromUserHome } from "../kernel/from-user-home.ts";
import { isWorthRerendering } from "./cold-cache.ts";
import { findPromptCause, parseBasis, renderBasis } from "./prompt-cause.ts";
import type { PromptBasis, PromptCause, RenderedFacts } from "./prompt-cause.ts";
import { isCarrier } from "../agents/deferred/carriers.ts";
import { isWithinBounds } from "../agents/task-bounds.ts";
import { agentSessionKey, isSubagentKey } from "../routing/session-key.ts";
import { identityName, readBootstrapFiles } from "../workspace/bootstrap-files.ts";
import { readSources } from "../workspace/source-changes.ts";
import { sessionPlace } from "../conversation/session-context.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import { offeredSkills } from "./offered-skills.ts";
import { elevatedLevel, promptSandbox } from "./prompt-sandbox.ts";
import { renderSessionPrompt } from "./session-prompt.ts";
import type { EditorLinks } from "../editors/editor-links.ts";
import type { RunPlace } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { SessionCache } from "../context/session-cache.ts";

/** The facts of a message that affect the session's prompt. */
export interface PromptRequest {
  readonly sessionKey: string;
  readonly kind: RunKind;
  readonly extra: string | undefined;
  /** Tools of the client that waits for the answer. */
  readonly clientTools: readonly ToolSchema[] | undefined;
  /** The scheduled job of the session's only turn, or the sub-agent whose session it is. */
  readonly job: TaskBounds | undefined;
  /** The prompt with which the session starts, if it is that of another one. */
  readonly fork?: ForkedPrompt | undefined;
  /** The session is private, this message included. */
  readonly isPrivate: boolean;
  /** At a cause the history before this time is re-rendered: the start of the turn. */
  readonly turnStartedAtMs: number;
  readonly signal: AbortSignal;
}

interface RenderedPrompt {
  readonly record: Omit<PromptRecord, "sessionId">;
  readonly truncations: NonNullable<EffectivePromptFacts["truncations"]>;
}

/** A session's prompt. */
export interface ResolvedPrompt extends RenderedPrompt {
  /** It was rendered for this turn and is not stored yet. */
  readonly isNew: boolean;
}

/** Files that are shown in private sessions only. */
const PRIVATE_NAMES: ReadonlySet<string> = new Set(["MEMORY.md", "memory.md"]);

/** Dependencies of the prompt resolver. */
export interface PromptResolverOptions {
  readonly store: TranscriptStore;
  readonly cache: SessionCache;
  readonly running: RunningConfig;
  readonly editors: Pick<EditorLinks, "toolsOf" | "reportProblems">;
  readonly channels: Pick<ChannelRegistry, "capabilities">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
}

/** Renders the system prompts of sessions, and keeps each until a named cause occurs. */
export class PromptResolver {
  readonly #options: PromptResolverOptions;

  constructor(options: PromptResolverOptions) {
    this.#options = options;
  }

  /** The session's stored prompt, or a new one at a named cause. */
  async resolve(request: PromptRequest, context: SessionContext): Promise<ResolvedPrompt> {
    const { cache, store } = this.#options;
    const stored =
      context.record === undefined ? undefined : (cache.prompt(context.sessionId) ?? (await store.readPrompt(context.sessionId)));
    const basis: Omit<PromptBasis, RenderedFacts> = {
      config: configBasis(context),
      model: context.model.reference,
      thinking: context.thinking ?? "default",
      reasoning: context.reasoning,
      elevated: elevatedLevel(context, this.#options.running.config),
      extra: request.extra === undefined ? "" : displayId(request.extra, undefined),
      clientTools: request.clientTools === undefined ? "" : displayId(JSON.stringify(request.clientTools), undefined),
      editorTools: this.#options.editors.toolsOf(request.sessionKey)?.fingerprint ?? "",
      isPrivate: request.isPrivate,
      compactions: context.record?.compactionCount ?? 0,
      channel: context.channel?.id ?? "",
    };
    const nowMs = this.#options.clock.now();
    const forked = stored === undefined && request.fork !== undefined ? await this.#takeOver(request.fork, basis, nowMs) : undefined;
    if (forked !== undefined) return { record: forked, truncations: [], isNew: true };
    const cause = findPromptCause({
      stored,
      basis,
      activeAtMs: context.record?.updatedAtMs ?? nowMs,
      nowMs,
      cacheLifetimeMs: cacheLifetimeMs(context.model.client.info, context.agent.cacheRetention(context.model.reference)),
    });
    if (cause === undefined && stored !== undefined) {
      // Its servers may have started since it was rendered: an editor has come back.
      if (basis.editorTools !== "") await this.#prepareTools(request, context);
      return { record: stored, truncations: [], isNew: false };
    }
    const { record, truncations } = await this.#render({ ...request, cause: cause ?? "new-session", basis, nowMs }, context);
    if (
      cause === "cold-cache" &&
      stored !== undefined &&
      !(await isWorthRerendering({ stored, rendered: record, nowMs }, context, this.#options))
    )
      return { record: stored, truncations: [], isNew: false };
    this.#options.logger.info("Prompt rendered", { sessionKey: request.sessionKey, cause: record.cause, hash: record.hash });
    return { record, truncations, isNew: true };
  }

  /** Has the sources of tools find out what they have, those of the session's editor as well. Resolves with the place of the owner's runs. */
  async #prepareTools({ sessionKey, signal }: Pick<PromptRequest, "sessionKey" | "signal">, context: SessionContext): Promise<RunPlace> {
    const { agent, model, group } = context;
    const { editors, running } = this.#options;
    const place = await running.agents.placeFor(agent, { owner: true, sessionKey, ...sessionPlace(context) });
    const sandboxed = place.sandbox !== undefined;
    const occasion = { provider: model.client.info.provider, group, senders: [], sandboxed, subagent: isSubagentKey(sessionKey) };
    await agent.prepareTools(place, { occasion, added: editors.toolsOf(sessionKey)?.sources, signal });
    editors.reportProblems(sessionKey);
    return place;
  }

  /** The prompt of another session, byte for byte. `undefined` if it is gone: then the session gets one of its own. */
  async #takeOver(
    { sessionId, ...version }: ForkedPrompt,
    basis: Omit<PromptBasis, RenderedFacts>,
    nowMs: number,
  ): Promise<RenderedPrompt["record"] | undefined> {
    const prompt = await this.#options.store.readPrompt(sessionId, version);
    const before = prompt === undefined ? undefined : parseBasis(prompt.basis);
    if (prompt === undefined || before === undefined) return undefined;
    const { sources, skills = [], deferredTools = [], channel = basis.channel, cacheKey = sessionId } = before;
    const taken = { ...basis, sources, skills, deferredTools, channel, cacheKey, settledBeforeMs: 0 };
    const { sessionId: _of, ...record } = prompt;
    return { ...record, cause: "fork" satisfies PromptCause, basis: renderBasis(taken), renderedAtMs: nowMs };
  }

  async #render(
    request: PromptRequest & {
      readonly cause: PromptCause;
      readonly basis: Omit<PromptBasis, RenderedFacts>;
      readonly nowMs: number;
    },
    context: SessionContext,
  ): Promise<RenderedPrompt> {
    const { agent, model, group, isGroup, channel } = context;
    const { editors, running, channels, commands, documentation } = this.#options;
    const { info } = model.client;
    const own = channel === undefined ? [] : [channel.capabilities];
    const place = await this.#prepareTools(request, context);
    const workspace = request.isPrivate ? place.folder : undefined;
    const sandbox = promptSandbox(agent.config.sandbox, { isGroup, workspace, elevated: request.basis.elevated });
    const [sandboxed, subagent] = [place.sandbox !== undefined, isSubagentKey(request.sessionKey)];
    const added = editors.toolsOf(request.sessionKey)?.sources;
    const choice = { model: info, fallbacks: context.fallbacks, group, sandboxed, subagent, added };
    const { offered, deferred } = toolsOfJob(agent.toolSet(choice), request.job);
    const tools = narrowTools(offered, messagingFeatures(request.isPrivate ? channels.capabilities() : own, request.isPrivate));
    const [usable, defaultModel, files] = await Promise.all([
      agent.skills({ workspace, group, signal: request.signal }),
      running.models.defaultModel(),
      readBootstrapFiles(agent.config.workspace),
    ]);
    const skills = offeredSkills(
      usable,
      [...tools, ...deferred].map(({ name }) => name),
    );
    const plan = planBootstrap(request.isPrivate ? files : withoutPrivate(files), {
      maxFileChars: agent.config.bootstrapMaxChars,
      maxTotalChars: agent.config.bootstrapTotalMaxChars,
      contextWindow: info.contextWindow,
      run: request.kind,
      ...withoutUndefined({ lightContext: request.job?.lightContext }),
    });
    const rendered = renderSessionPrompt(
      {
        agent,
        name: identityName(files) ?? agent.name,
        sessionId: context.sessionId,
        kind: request.kind,
        hasHeartbeats: hasHeartbeats(request.sessionKey, agent.config.id, running.config.session.mainKey),
        tools,
        deferredTools: deferred,
        ...withoutUndefined({ addedSources: added }),
        brokenSources: agent.brokenSources(),
        clientTools: offeredClientTools(request.clientTools, { own: [...offered, ...deferred], model: info }),
        skills: request.isPrivate ? skills : skills.map((skill) => ({ ...skill, location: fromUserHome(skill.location) })),
        bootstrap: plan,
        ...withoutUndefined({ workspace, sandbox }),
        modelReference: model.reference,
        defaultModelReference: agent.config.model?.primary ?? defaultModel.reference,
        thinking: context.thinking ?? "default",
        reasoning: { visibility: context.reasoning, native: info.reasoning },
        authorizedSenders: running.config.commands.ownerAllowFrom.map((id) => displayId(id, running.ownerDisplaySecret)),
        commands,
        documentation: request.isPrivate ? documentation : documentationForOthers(documentation),
        ...withoutUndefined({ extra: request.extra, channel }),
        ...(isGroup && channel !== undefined ? { group: { platform: channel.id, config: group } } : {}),
      },
      request.cause,
      request.nowMs,
    );
    const sources = await readSources(agent.config.workspace, skills);
    return {
      record: {
        ...rendered,
        basis: renderBasis({
          ...request.basis,
          sources,
          skills: skills.map(({ name, source, version }) => ({ name, source, ...withoutUndefined({ version }) })),
          deferredTools: deferred.map(({ name }) => name),
          settledBeforeMs: request.cause === "new-session" ? 0 : request.turnStartedAtMs,
        }),
      },
      truncations: plan.truncations,
    };
  }
}

/** Changes with the configuration of the agent, and with the session's own folder. */
function configBasis({ agent, workspace }: SessionContext): string {
  return workspace === undefined ? agent.basis : `${agent.basis}@${displayId(workspace, undefined)}`;
}

/** True for the session of the agent's heartbeats: the main one, or the one that they have of their own. */
function hasHeartbeats(sessionKey: string, agentId: string, mainKey: string): boolean {
  return [mainKey, "heartbeat"].some((name) => sessionKey === agentSessionKey(agentId, name));
}

/** The tools of a run, of which a scheduled job or a sub-agent may be allowed some only. Where these are named they are few, and the request holds them all. */
function toolsOfJob<Set extends { readonly offered: readonly ToolSchema[]; readonly deferred: readonly ToolSchema[] }>(
  set: Set,
  job: TaskBounds | undefined,
): Set {
  if (job === undefined) return set;
  const isAllowed = ({ name }: ToolSchema): boolean => isWithinBounds(name, job);
  if (job.tools !== undefined) return { ...set, offered: [...set.offered, ...set.deferred].filter(isAllowed), deferred: [] };
  const deferred = set.deferred.filter(isAllowed);
  // Only through them it reaches the others.
  const isOffered = (tool: ToolSchema): boolean => (isCarrier(tool.name) ? deferred.length > 0 : isAllowed(tool));
  return { ...set, offered: set.offered.filter(isOffered), deferred };
}

/** A client's tools as a model gets them. The agent's own tools keep their names, also those that it got after the client was admitted. */
function offeredClientTools(
  tools: readonly ToolSchema[] = [],
  { own, model }: { readonly own: readonly ToolSchema[]; readonly model: ModelInfo },
): readonly ToolSchema[] {
  if (model.tools === "none") return [];
  const taken = new Set(own.map(({ name }) => name));
  return tools.filter(({ name }) => !taken.has(name));
}

/** The files that others than the owner may see: no private file, and no path of the owner's. */
function withoutPrivate(files: readonly BootstrapFile[]): readonly BootstrapFile[] {
  return files.filter(({ name }) => !PRIVATE_NAMES.has(name)).map((file) => ({ ...file, path: file.name }));
}

function documentationForOthers({ folder, ...rest }: PromptFacts["documentation"]): PromptFacts["documentation"] {
  return { ...rest, ...(folder === undefined ? {} : { folder: fromUserHome(folder) }) };
}
