import { withoutUndefined } from "@factotum/agent-contract";
import type {
  AgentSessionKind,
  AgentSessions,
  Clock,
  Logger,
  Random,
  ListedSession,
  ReachableAgent,
  ToolCaller,
  SessionFilter,
  SessionHistoryPage,
  SessionList,
  SessionReference,
  SessionSendOutcome,
} from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { SessionRecord, Store } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { agentRefusal } from "../subagents/agent-refusal.ts";
import { readAskingTurn } from "../queue/asking-turn.ts";
import { offeredAgents } from "../subagents/offered-agents.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import { isSubagentKey, sessionKind } from "../routing/session-key.ts";
import { mayReachAgent } from "./agent-rules.ts";
import { Exchanges } from "./exchanges.ts";
import type { ExchangesParts } from "./exchanges.ts";
import { SessionFinder } from "./session-finder.ts";
import { readMessages } from "./session-messages.ts";
import type { SessionMessagesParts } from "./session-messages.ts";
import { SessionReach } from "./session-reach.ts";
import { SessionSender } from "./session-sender.ts";

/** What the sessions of agents use. */
export interface AgentsSessionsParts extends SessionMessagesParts {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly events: Pick<SessionEvents, "live">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly submit: ExchangesParts["submit"];
  readonly channels: ExchangesParts["channels"] & Pick<ChannelRegistry, "moves">;
  readonly watchers: ExchangesParts["watchers"];
  readonly subagents: Pick<SessionSubagents, "boundsOf" | "hasEnded" | "ofSession" | "ofStep" | "untilEnded">;
  readonly crashPoint?: ExchangesParts["crashPoint"];
}

interface Connected {
  readonly parts: AgentsSessionsParts;
  readonly reach: SessionReach;
  readonly finder: SessionFinder;
  readonly sender: SessionSender;
  readonly exchanges: Exchanges;
}

/** The sessions as the tools of agents see them: each access is decided by `authorize`. Tools exist before the gateway, so the parts are connected later. */
export class AgentsSessions implements AgentSessions {
  #connected: Connected | undefined;

  connect(parts: AgentsSessionsParts): void {
    const reach = new SessionReach(parts);
    const finder = new SessionFinder({ ...parts, reach });
    const exchanges = new Exchanges(parts);
    this.#connected = { parts, reach, finder, exchanges, sender: new SessionSender({ ...parts, reach, finder, exchanges }) };
  }

  async list(filter: SessionFilter, asked: ToolCaller): Promise<SessionList> {
    const { parts, reach, finder } = this.#ready;
    const caller = await reach.caller(asked);
    const { mainKey } = parts.running.config.session;
    const kinds = filter.kinds === undefined ? undefined : new Set<AgentSessionKind>(filter.kinds);
    const scan = {
      ...(filter.agentId === undefined ? {} : { agentId: filter.agentId.toLowerCase() }),
      ...(filter.activeMinutes === undefined ? {} : { activeSinceMs: Math.max(0, parts.clock.now() - filter.activeMinutes * 60_000) }),
      ...(kinds === undefined ? {} : { isWanted: (key: string) => kinds.has(sessionKind(key, mainKey)) }),
    };
    const { records, isCut } = await this.#select(finder.visible(caller, scan), filter);
    const sessions: ListedSession[] = [];
    for (const record of records) {
      const isRead = filter.messageLimit > 0 && (await reach.may("read", caller, record));
      sessions.push(await this.#row(record, { ...filter, messageLimit: isRead ? filter.messageLimit : 0 }));
    }
    return { sessions, isCut };
  }

  /** The wanted sessions in their order, those of ended sub-agents last: a parent looks for what still works. */
  async #select(
    visible: AsyncIterable<SessionRecord>,
    filter: SessionFilter,
  ): Promise<{ readonly records: readonly SessionRecord[]; readonly isCut: boolean }> {
    const spawns = await this.#ready.parts.store.listSpawns();
    const isEnded = new Set(spawns.flatMap((spawn) => (isOpenSpawn(spawn) ? [] : [spawn.childKey])));
    const live: SessionRecord[] = [];
    const ended: SessionRecord[] = [];
    for await (const record of visible) {
      if (!isWanted(record, filter)) continue;
      if (isEnded.has(record.key)) ended.push(record);
      else if (live.length === filter.limit) return { records: live, isCut: true };
      else live.push(record);
    }
    const all = [...live, ...ended];
    return { records: all.slice(0, filter.limit), isCut: all.length > filter.limit };
  }

  async history(
    reference: SessionReference,
    page: Parameters<AgentSessions["history"]>[1],
    asked: ToolCaller,
  ): Promise<SessionHistoryPage | undefined> {
    const { parts, reach, finder } = this.#ready;
    const found = await finder.find(reference, "read", await reach.caller(asked));
    if (found === undefined) return undefined;
    if (found.record === undefined) return { key: found.key, messages: [], untrusted: false };
    return { key: found.key, ...(await readMessages(found.record, page, parts)) };
  }

  async send(reference: SessionReference, options: Parameters<AgentSessions["send"]>[1], asked: ToolCaller): Promise<SessionSendOutcome> {
    const { reach, sender } = this.#ready;
    return sender.send(reference, options, await reach.caller(asked));
  }

  async sendProblem(reference: SessionReference, asked: ToolCaller): ReturnType<AgentSessions["sendProblem"]> {
    const { reach, sender } = this.#ready;
    return sender.problem(reference, await reach.caller(asked));
  }

  /** Resumes the exchanges that an earlier process left unfinished. */
  async recover(): Promise<void> {
    await this.#ready.exchanges.recover();
  }

  /** Stops all exchanges; the next start resumes them. */
  async close(): Promise<void> {
    await this.#ready.exchanges.close();
  }

  async agents(asked: ToolCaller): Promise<readonly ReachableAgent[]> {
    const { parts, reach } = this.#ready;
    const { running } = parts;
    const { run, isConfined } = await reach.caller(asked);
    const { maxDepth } = running.agent(run.agentId).config.subagents;
    const own = running.agents.list().flatMap(({ config: { id, name } }): ReachableAgent[] => {
      const isSelf = id === run.agentId;
      const hasSessions = isSelf || (!isConfined && run.owner && mayReachAgent(run, id, running.config));
      const isStartable = maxDepth > 0 && (isSelf || agentRefusal(id, run, parts) === undefined);
      return hasSessions || isStartable ? [{ id, isSelf, hasSessions, isStartable, ...withoutUndefined({ name }) }] : [];
    });
    return [...own, ...(await this.#externalAgents(asked)).map((id) => externalAgent(id))];
  }

  /** The external agents that the caller may start. */
  async #externalAgents({ run, tainted }: ToolCaller): Promise<readonly string[]> {
    const { parts } = this.#ready;
    if (Object.keys(parts.running.config.acp.agents).length === 0) return [];
    const asking = await readAskingTurn(run.runId, parts.store);
    if (asking === undefined) return [];
    const session = await parts.store.readSession(run.sessionKey);
    const { admission } = asking.lead;
    const to = {
      agentId: run.agentId,
      model: admission.job?.model ?? session?.overrides.model,
      owner: run.owner,
      tainted,
      sandbox: run.sandbox,
      origin: asking.turn.origin,
      asking,
      bounds: admission.job,
      isSubagent: isSubagentKey(run.sessionKey),
    };
    return offeredAgents(to, parts);
  }

  get #ready(): Connected {
    if (this.#connected === undefined) throw new Error("the sessions are not connected yet");
    return this.#connected;
  }

  /** A name that others may have given a session is text of others: it is shown where names or messages are asked for. */
  async #row(record: SessionRecord, { search, messageLimit }: Pick<SessionFilter, "search" | "messageLimit">): Promise<ListedSession> {
    const { parts } = this.#ready;
    const { key, sessionId, agentId, label, usage, isPrivate } = record;
    const page = messageLimit === 0 ? undefined : await readMessages(record, { limit: messageLimit, includeTools: false }, parts);
    const isNamed = record.displayName !== "" && (isPrivate || search !== undefined || messageLimit > 0);
    return {
      key,
      sessionId,
      agentId,
      kind: sessionKind(key, parts.running.config.session.mainKey),
      contextTokens: usage.lastInput + usage.lastCacheRead + usage.lastCacheWrite,
      updatedAtMs: record.updatedAtMs,
      state: parts.events.live(key) === undefined ? "idle" : "running",
      messages: page?.messages ?? [],
      untrusted: page?.untrusted === true || (isNamed && !isPrivate),
      ...(isNamed ? { displayName: record.displayName } : {}),
      ...withoutUndefined({
        label,
        channel: record.lastOrigin?.channel,
        model: record.overrides.model,
        subagent: parts.subagents.ofSession(key)?.state,
      }),
    };
  }
}

function isWanted({ key, label = "", displayName }: SessionRecord, filter: Pick<SessionFilter, "label" | "search">): boolean {
  if (filter.label !== undefined && label.toLowerCase() !== filter.label.trim().toLowerCase()) return false;
  const part = filter.search?.trim().toLowerCase() ?? "";
  return [key, label, displayName].some((text) => text.toLowerCase().includes(part));
}

function externalAgent(id: string): ReachableAgent {
  return { id, isSelf: false, hasSessions: false, isStartable: true, isExternal: true };
}
