import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ExternalAgents, Logger, Random } from "@factotum/agent-contract";
import type { InboxStore, SessionRecord, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import type { ChatEntry, ChatSnapshot, ChatSubagent, RpcMethods, SessionKind, SessionSummary } from "@factotum/protocol";
import type { MsgContext } from "@factotum/channel-contract";
import type { SessionEvents, SessionListener } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { endExternalAgents } from "../agents/external-agent.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import {
  agentSessionKey,
  isSessionKey,
  isSubagentKey,
  normalizeSessionKey,
  parseAgentSessionKey,
  sessionKind,
} from "../routing/session-key.ts";
import { type HistoryPage, toHistoryPage } from "./history-page.ts";
import { matchSessionKey } from "./match-session-key.ts";
import { checkSessionFolder } from "./session-folder.ts";
import { toSessionSummary } from "./session-summary.ts";
import { RpcError } from "../kernel/rpc-error.ts";

import type { TurnQueue } from "../queue/turn-queue.ts";
import type { CompactionOutcome } from "../compaction/compaction-outcome.ts";
import type { CompactionTriggers } from "../compaction/compaction-triggers.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { SubagentTree } from "../subagents/subagent-tree.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { FlushMemory } from "../compaction/memory-flush.ts";
import type { Notices } from "../notices/notices.ts";
import type { SessionWaits } from "../notices/session-waits.ts";
import { NOTHING_STOPPED } from "./work-stopper.ts";
import type { StoppedWork, WorkStopper } from "./work-stopper.ts";
import type { SessionTasks } from "./session-tasks.ts";
import { listInterrupted } from "../messages/last-run.ts";

/** Dependencies of the session service. */
export interface SessionServiceOptions {
  readonly store: InboxStore & SessionStore & TranscriptStore & TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly stopper: WorkStopper;
  readonly tasks: SessionTasks;
  readonly compaction: CompactionTriggers;
  readonly queue: TurnQueue;
  readonly cache: SessionCache;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly hooks: HookRunner;
  readonly subagents: Pick<SessionSubagents, "endRemoved" | "hasEnded" | "isOpen" | "removed">;
  readonly subagentTree: Pick<SubagentTree, "around" | "forget">;
  readonly externalAgents: Pick<ExternalAgents, "close">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** The state directory. */
  readonly home: string;
  readonly flushMemory: FlushMemory;
  readonly notices: Pick<Notices, "addEntry">;
  /** What the session's messages, or the tools of its run, wait for. */
  readonly waits: SessionWaits;
}

/** Reads and changes sessions on behalf of clients. */
export class SessionService {
  readonly #options: SessionServiceOptions;
  readonly #queue: TurnQueue;
  /** Stops their runs and drops waiting messages. */
  readonly stopper: WorkStopper;
  readonly #tasks: SessionTasks;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
    this.#queue = options.queue;
    this.#tasks = options.tasks;
    this.stopper = options.stopper;
  }

  /** The session key of a request: the given one, or the main session of the given or default agent. */
  async resolveKey(request: { readonly sessionKey?: string | undefined; readonly agentId?: string | undefined }): Promise<string> {
    if (request.sessionKey !== undefined) {
      if (!isSessionKey(request.sessionKey)) {
        throw new RpcError(
          "invalid-request",
          `"${request.sessionKey}" is no session key. A key looks like agent:main:main; \`factotum status\` shows the agents.`,
        );
      }
      return matchSessionKey(request.sessionKey, this.#options.store);
    }
    return this.mainKey(request.agentId);
  }

  /** The session key that a message is sent to. Its agent must be configured, and be the one that the request names, if it names one. */
  async resolveTarget(request: { readonly sessionKey?: string | undefined; readonly agentId?: string | undefined }): Promise<string> {
    const sessionKey = await this.resolveKey(request);
    const owner = parseAgentSessionKey(sessionKey)?.agentId;
    const named = request.agentId?.toLowerCase();
    for (const agentId of [named, owner]) if (agentId !== undefined) this.mainKey(agentId);
    if (named !== undefined && owner !== undefined && named !== owner) {
      throw new RpcError("invalid-request", `The session "${sessionKey}" is the agent ${owner}'s. Leave the agent out, or the session.`);
    }
    return sessionKey;
  }

  /**
   * The session that a message goes to, as `resolveTarget`. Rejects for a sub-agent that has ended, or that is not known: the message would begin a conversation of
   * another kind under its key.
   */
  async resolveRecipient(request: Parameters<SessionService["resolveTarget"]>[0]): Promise<string> {
    const sessionKey = await this.resolveTarget(request);
    const { store, subagents } = this.#options;
    if (!isSubagentKey(sessionKey) || subagents.isOpen(sessionKey)) return sessionKey;
    const isKept = (await store.readSession(sessionKey)) !== undefined;
    if (subagents.hasEnded(sessionKey))
      throw new RpcError("conflict", "This sub-agent has ended. Its result is in the conversation that asked for it.");
    if (!isKept)
      throw new RpcError("not-found", `There is no sub-agent with the session "${sessionKey}". /subagents lists those of a conversation.`);
    return sessionKey;
  }

  /** Key of an agent's main session. */
  mainKey(agentId: string | undefined): string {
    return agentSessionKey(this.agentId(agentId), this.#options.running.config.session.mainKey);
  }

  /** The id of the named agent, or of the default agent. */
  agentId(agentId: string | undefined): string {
    const { agents } = this.#options.running;
    const agent = agentId === undefined ? agents.default : agents.get(agentId.toLowerCase());
    if (agent === undefined) {
      const known = agents.list().map(({ config: { id } }) => id);
      throw new RpcError("not-found", `There is no agent "${agentId ?? ""}". Configured: ${known.join(", ")}.`);
    }
    return agent.config.id;
  }

  async list(params: RpcMethods["sessions.list"]["params"]): Promise<RpcMethods["sessions.list"]["result"]> {
    const { store, clock } = this.#options;
    const { config } = this.#options.running;
    const { exceptSubagents = false } = params;
    const kinds = params.kinds === undefined ? undefined : new Set<SessionKind>(params.kinds);
    const isWanted = (key: string): boolean =>
      kinds?.has(sessionKind(key, config.session.mainKey)) !== false && !(exceptSubagents && isSubagentKey(key));
    const page = await store.listSessions({
      limit: params.limit ?? 50,
      ...(kinds === undefined && !exceptSubagents ? {} : { isWanted }),
      ...(params.agentId === undefined ? {} : { agentId: params.agentId.toLowerCase() }),
      ...(params.activeMinutes === undefined ? {} : { activeSinceMs: Math.max(0, clock.now() - params.activeMinutes * 60_000) }),
      ...withoutUndefined({ cursor: params.cursor, pinned: params.pinned }),
    });
    const interrupted = await listInterrupted(page.items, store);
    const sessions = page.items.map((record) => ({
      ...this.summary(record),
      ...(interrupted.has(record.sessionId) ? { interrupted: true } : {}),
    }));
    return { sessions, ...withoutUndefined({ cursor: page.cursor }) };
  }

  async resolve(query: { readonly key?: string; readonly label?: string; readonly agentId?: string }): Promise<SessionSummary> {
    const found = await this.#options.store.findSession(
      query.key === undefined ? query : { ...query, key: normalizeSessionKey(query.key) },
    );
    if (found === undefined)
      throw new RpcError(
        "not-found",
        `There is no session "${query.key ?? query.label ?? ""}", or more than one. "factotum sessions list" shows those that exist.`,
      );
    return this.summary(found);
  }

  /**
   * A page of the transcript, bounded in entries and bytes; empty for a session that does not exist yet. Heartbeats that had nothing to say, or may yet have
   * nothing to say, are not shown.
   */
  async history(sessionKey: string, options: { readonly before?: string; readonly limit: number }): Promise<HistoryPage> {
    const session = await this.#options.store.readSession(sessionKey);
    if (session === undefined) return { entries: [] };
    const { items, ...more } = await this.#options.store.readTranscript(session.sessionId, {
      limit: options.limit,
      exceptSilent: true,
      ...withoutUndefined({ before: options.before }),
    });
    const { events, store } = this.#options;
    const versions = await store.readVersions(session.sessionId);
    return toHistoryPage({ ...more, items: items.filter(({ turnId }) => turnId === undefined || !events.isHeld(turnId)) }, versions);
  }

  /**
   * Subscribes to a session and returns a snapshot that the first event continues: no event is lost or repeated, whatever happens while the transcript is
   * read.
   */
  async subscribe(
    sessionKey: string,
    options: { readonly limit: number; readonly listener: SessionListener },
  ): Promise<{ readonly snapshot: ChatSnapshot; readonly subscription: Disposable }> {
    const { events } = this.#options;
    let snapshot: ChatSnapshot | undefined;
    const committedMeanwhile: ChatEntry[] = [];
    let isBranched = false;
    const changedMeanwhile = new Map<string, ChatSubagent>();
    const subscription = events.subscribe(sessionKey, (event) => {
      if (snapshot !== undefined) options.listener(event);
      else if (event.type === "reset") committedMeanwhile.length = 0;
      else if (event.type === "branch-change") {
        committedMeanwhile.length = 0;
        isBranched = true;
      } else if (event.type === "entry") committedMeanwhile.push(event.entry);
      else if (event.type === "subagent-change") changedMeanwhile.set(event.subagent.runId, event.subagent);
    });
    try {
      let page = await this.history(sessionKey, { limit: options.limit });
      const around = new Map((await this.#options.subagentTree.around(sessionKey)).map((one) => [one.runId, one]));
      while (isBranched) {
        isBranched = false;
        page = await this.history(sessionKey, { limit: options.limit });
      }
      // Synchronous from here to the return: events that arrived during the read are in the live state or among the entries.
      const known = new Set(page.entries.map((entry) => entry.id));
      const live = events.live(sessionKey);
      const wait = this.#options.waits.of(sessionKey);
      const subagents = [...new Map([...around, ...changedMeanwhile]).values()];
      snapshot = {
        sessionKey,
        ...page,
        entries: [...page.entries, ...committedMeanwhile.filter((entry) => !known.has(entry.id))],
        ...withoutUndefined({ live }),
        queued: this.#queue.lanes.queued(sessionKey),
        ...withoutUndefined({ wait }),
        ...(subagents.length === 0 ? {} : { subagents }),
      };
      return { snapshot, subscription };
    } catch (error) {
      subscription[Symbol.dispose]();
      throw error;
    }
  }

  /** Begins a session of the owner's, with its own folder if one is named. */
  async create(params: RpcMethods["sessions.create"]["params"]): Promise<SessionSummary> {
    const { store, clock, random, running, events } = this.#options;
    const key = await this.resolveTarget({ sessionKey: params.key });
    const agentId = parseAgentSessionKey(key)?.agentId;
    if (agentId === undefined || sessionKind(key, running.config.session.mainKey) === "group")
      throw new RpcError("invalid-request", "A new session has a key like agent:main:acp:name, and is not a group's.");
    if ((await store.readSession(key)) !== undefined) throw new RpcError("conflict", `The session ${key} exists already.`);
    const workspace = params.workspace === undefined ? undefined : await this.#checkFolder(params.workspace, key, agentId);
    const nowMs = clock.now();
    await store.createSession(
      { key, sessionId: random.uuid(), agentId, isPrivate: true, displayName: params.displayName ?? "cli" },
      { nowMs },
    );
    const record = await store.patchSession(key, { overrides: withoutUndefined({ workspace }) }, { nowMs });
    events.sessionChanged(key);
    return this.summary(record);
  }

  async #checkFolder(asked: string, sessionKey: string, agentId: string): Promise<string> {
    const { running, home } = this.#options;
    return checkSessionFolder(asked, { agent: running.agent(agentId).config, sessionKey, home });
  }

  async patch(params: RpcMethods["sessions.patch"]["params"]): Promise<SessionSummary> {
    const key = await matchSessionKey(params.key, this.#options.store);
    const { label, sendPolicy } = params;
    const workspace =
      typeof params.workspace === "string"
        ? await this.#checkFolder(params.workspace, key, this.agentId(parseAgentSessionKey(key)?.agentId))
        : params.workspace;
    const overrides = withoutUndefined({ sendPolicy, workspace, pinned: asFlag(params.pinned), archived: asFlag(params.archived) });
    const record = await this.#options.store.patchSession(
      key,
      { ...withoutUndefined({ label }), ...(Object.keys(overrides).length === 0 ? {} : { overrides }) },
      { nowMs: this.#options.clock.now() },
    );
    this.#options.events.sessionChanged(key);
    return this.summary(record);
  }

  /** Resets the session, in its own lane: the active run is stopped first, and later messages belong to the new conversation. */
  async reset(sessionKey: string, options: { readonly reason: string }): Promise<SessionRecord> {
    return this.#tasks.runAfterStop(sessionKey, options, async (stopped) => this.#resetAfter(sessionKey, stopped));
  }

  /** The page shows the new conversation: results that the stop has told in the old one are told there, too. */
  async #resetAfter(sessionKey: string, { results }: StoppedWork): Promise<SessionRecord> {
    const record = await this.#options.conversations.reset(sessionKey);
    for (const result of results) await this.#options.notices.addEntry(sessionKey, { level: "info", ...result });
    return record;
  }

  /**
   * Like `reset`, if `decided` resolves to true; otherwise nothing is stopped or dropped. The task is queued at once, so later messages wait for the
   * decision. `onReset` is called after the reset, still in the lane, with the work that was stopped. A session that does not exist yet is not reset.
   */
  async resetOnce(
    sessionKey: string,
    options: {
      readonly reason: string;
      readonly by: MsgContext;
      readonly decided: Promise<boolean>;
      readonly onReset: (stopped: StoppedWork) => Promise<void>;
    },
  ): Promise<void> {
    const { job, done } = this.#tasks.createTask(sessionKey, async () => {
      if (!(await options.decided)) return;
      const ended = await stopped;
      if ((await this.#options.store.readSession(sessionKey)) !== undefined) await this.#resetAfter(sessionKey, ended);
      await options.onReset(ended);
    });
    this.#queue.lanes.enqueue(sessionKey, job);
    const stopped = options.decided.then(async (isWanted) =>
      isWanted ? this.stopper.stop(sessionKey, { queued: true, endsCommands: true, before: job, ...options }) : NOTHING_STOPPED,
    );
    await Promise.all([done, stopped]);
  }

  /** Summarises the older part of a conversation after its current work. Rejects with a `LaneAbort` when it is stopped. */
  async compact(sessionKey: string, options: { readonly instructions?: string }): Promise<CompactionOutcome> {
    const record = await this.#options.store.readSession(sessionKey);
    if (record?.lastOrigin === undefined) return { type: "nothing" };
    const { lastOrigin, agentId } = record;
    return this.#tasks.runQueued(sessionKey, async (signal) =>
      this.#options.compaction.onRequest(await this.#options.conversations.readContext(sessionKey, agentId, lastOrigin), {
        ...options,
        signal,
        flushMemory: this.#options.flushMemory,
      }),
    );
  }

  /** Deletes a session. Rejects with `not-found` when there is none; false when nothing was deleted. */
  async delete(sessionKey: string): Promise<boolean> {
    return this.#tasks.runAfterStop(sessionKey, { reason: "the session is being removed" }, async () => {
      const { store, clock, cache, events, hooks, media, subagents, subagentTree } = this.#options;
      const before = await store.readSession(sessionKey);
      if (before === undefined) throw new RpcError("not-found", `There is no session "${sessionKey}".`);
      await subagents.endRemoved(sessionKey);
      const deleted = await store.deleteSession(sessionKey, { nowMs: clock.now() });
      cache.drop(before.sessionId);
      endExternalAgents(sessionKey, this.#options);
      subagentTree.forget(sessionKey);
      await subagents.removed(sessionKey);
      for (const sessionId of deleted) await media.store.removeSession(sessionId);
      const { agentId, sessionId } = before;
      if (deleted.length > 0) {
        events.publish(sessionKey, { type: "reset" });
        hooks.observe("session_end", () => ({ agentId, sessionKey, sessionId, reason: "deleted" }));
      }
      return deleted.length > 0;
    });
  }

  /** Deletes a session by maintenance; false when it does not exist any more. */
  async deleteIfThere(sessionKey: string): Promise<boolean> {
    try {
      return await this.delete(sessionKey);
    } catch (error) {
      if (error instanceof RpcError && error.code === "not-found") return false;
      throw error;
    }
  }

  summary(record: SessionRecord): SessionSummary {
    const isRunning = this.#options.events.live(record.key) !== undefined;
    return toSessionSummary(record, { mainKey: this.#options.running.config.session.mainKey, isRunning });
  }
}

/** A flag as an override: absent if it is off. */
function asFlag(isOn: boolean | undefined): true | null | undefined {
  return isOn === undefined ? undefined : isOn || null;
}
