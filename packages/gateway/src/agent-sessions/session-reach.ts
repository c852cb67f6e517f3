import type { RunFacts, ToolCaller } from "@factotum/agent-contract";
import type { SessionRecord, SessionStore, TurnStore } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import type { SessionAccess, SessionRelation } from "../access/authorize.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { normalizeSessionKey, parseAgentSessionKey } from "../routing/session-key.ts";
import { mayReach } from "./agent-rules.ts";

/** Spawned sessions nest this deep at most; a longer chain of parents is broken. */
const MAX_DEPTH = 16;

/** What decides who reaches which session. */
export interface SessionReachParts {
  readonly store: Pick<SessionStore, "readSession"> & Pick<TurnStore, "readTurn">;
  readonly running: RunningConfig;
}

/** A session that is asked for, as far as the decision depends on it. */
export type TargetSession = Pick<SessionRecord, "key" | "agentId" | "isPrivate">;

/** Who asks for sessions, as far as the decision depends on it. */
export interface ReachingCaller extends Pick<ToolCaller, "tainted"> {
  readonly run: Pick<RunFacts, "sessionKey" | "agentId" | "owner">;
  /** Only the owner reads and writes in its session, and its turn is the owner's. */
  readonly isPrivate: boolean;
  /** It sees only the sessions that it has spawned. */
  readonly isConfined: boolean;
}

/** A caller with what is known of its turn. */
export type KnownCaller = ToolCaller & ReachingCaller;

/** Finds what a session is to a caller, and asks `authorize` with it. */
export class SessionReach {
  readonly #parts: SessionReachParts;

  constructor(parts: SessionReachParts) {
    this.#parts = parts;
  }

  async caller({ run, tainted }: ToolCaller): Promise<KnownCaller> {
    const { store, running } = this.#parts;
    const record = await store.readSession(run.sessionKey);
    const turn = await store.readTurn(run.runId);
    const isDirect = turn?.origin.conversation.kind === "direct";
    const isPrivate = run.owner && isDirect && record?.sessionId === run.sessionId && record.isPrivate;
    const { sessionToolsVisibility } = running.agent(run.agentId).config.sandbox;
    return { run, tainted, isPrivate, isConfined: run.sandbox !== undefined && sessionToolsVisibility === "spawned" };
  }

  /** Whether the caller may do this with a session. */
  async may(access: SessionAccess, caller: ReachingCaller, { key, agentId, isPrivate }: TargetSession): Promise<boolean> {
    const { run, tainted, isPrivate: fromPrivate, isConfined } = caller;
    const relation = await this.relation(run, { key, agentId });
    const resource = { type: "session", relation, isPrivate, fromPrivate, isConfined } as const;
    return authorize({ type: "run", owner: run.owner, tainted }, { type: "session", access }, resource).type === "allow";
  }

  /**
   * Whether a job of the caller may work in the session of a key. One that has not begun counts as private, like those that are hidden from a turn that is not:
   * the answer does not tell them apart.
   */
  async maySchedule(sessionKey: string, asked: ToolCaller): Promise<boolean> {
    const key = normalizeSessionKey(sessionKey);
    const agentId = parseAgentSessionKey(key)?.agentId ?? asked.run.agentId;
    const target = (await this.#parts.store.readSession(key)) ?? { key, agentId, isPrivate: true };
    return this.may("schedule", await this.caller(asked), target);
  }

  /** What a session is to another one. */
  async relation(
    from: Pick<RunFacts, "sessionKey" | "agentId">,
    { key, agentId }: Pick<TargetSession, "key" | "agentId">,
  ): Promise<SessionRelation> {
    if (key === from.sessionKey) return "own";
    if (await this.#isSpawned(key, from.sessionKey)) return "spawned";
    if (agentId === from.agentId) return "same-agent";
    const isAllowed = mayReach(from, { sessionKey: key, agentId }, this.#parts.running.config);
    return isAllowed ? "allowed-agent" : "other-agent";
  }

  /** True if the session was spawned by another one, or by one that it has spawned. */
  async #isSpawned(sessionKey: string, by: string): Promise<boolean> {
    const { store } = this.#parts;
    let key: string | undefined = sessionKey;
    for (let depth = 0; key !== undefined && depth < MAX_DEPTH; depth += 1) {
      key = (await store.readSession(key))?.spawnedBy;
      if (key === by) return true;
    }
    return false;
  }
}
