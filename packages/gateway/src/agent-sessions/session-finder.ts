import type { SessionReference } from "@factotum/agent-contract";
import type { SessionRecord, SessionStore } from "@factotum/store";
import type { SessionAccess } from "../access/authorize.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { agentSessionKey, normalizeSessionKey } from "../routing/session-key.ts";
import type { ReachingCaller, SessionReach, TargetSession } from "./session-reach.ts";

/** Maximum sessions that are searched for a list or a name, newest activity first. */
const MAX_SCANNED = 2_000;
const PAGE = 100;

/** A shorter prefix of an id names no session: it could match by chance. */
const MIN_PREFIX_CHARS = 4;

/** Which sessions are searched. */
export interface SessionScan {
  readonly agentId?: string;
  readonly activeSinceMs?: number;
  readonly isWanted?: (key: string) => boolean;
}

/** A session that may be spoken to; without a record it has no conversation yet. */
export interface FoundSession extends TargetSession {
  readonly record?: SessionRecord;
}

/** What the finder uses. */
export interface SessionFinderParts {
  readonly store: Pick<SessionStore, "readSession" | "listSessions">;
  readonly running: RunningConfig;
  readonly reach: SessionReach;
}

/**
 * Finds sessions among those that a caller may see. A hidden session is neither found, nor does it make a name ambiguous.
 */
export class SessionFinder {
  readonly #parts: SessionFinderParts;

  constructor(parts: SessionFinderParts) {
    this.#parts = parts;
  }

  /** The sessions that the caller may see, newest activity first. */
  async *visible(caller: ReachingCaller, scan: SessionScan = {}): AsyncGenerator<SessionRecord> {
    const { store, reach } = this.#parts;
    let cursor: string | undefined;
    let scanned = 0;
    do {
      const page = await store.listSessions({ ...scan, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const record of page.items) if (await reach.may("see", caller, record)) yield record;
      scanned += PAGE;
      cursor = page.cursor;
    } while (cursor !== undefined && scanned < MAX_SCANNED);
  }

  /** The one session that the words name and that allows this access; `undefined` for no match, for several, and for a hidden session. */
  async find(reference: SessionReference, access: SessionAccess, caller: ReachingCaller): Promise<FoundSession | undefined> {
    const found = await this.#named(reference, caller);
    return found !== undefined && (await this.#parts.reach.may(access, caller, found)) ? found : undefined;
  }

  async #named({ sessionKey, label, agentId }: SessionReference, caller: ReachingCaller): Promise<FoundSession | undefined> {
    const { running } = this.#parts;
    const scan = agentId === undefined ? {} : { agentId: agentId.toLowerCase() };
    if (sessionKey !== undefined) {
      const byKey = await this.#byKey(normalizeSessionKey(sessionKey));
      // The key of a hidden session is searched for like one that does not exist: neither the answer nor its duration tells them apart.
      if (byKey !== undefined && (await this.#parts.reach.may("see", caller, byKey))) return byKey;
      const prefix = sessionKey.trim().toLowerCase();
      return prefix.length < MIN_PREFIX_CHARS
        ? undefined
        : this.#only(caller, scan, ({ key, sessionId }) => sessionId.startsWith(prefix) || key.toLowerCase() === prefix);
    }
    if (label !== undefined) {
      const folded = label.trim().toLowerCase();
      return this.#only(caller, scan, (record) => record.label?.toLowerCase() === folded);
    }
    return scan.agentId === undefined ? undefined : this.#byKey(agentSessionKey(scan.agentId, running.config.session.mainKey));
  }

  /** The session of a key. The main session of an agent need not have begun: it is the owner's then. */
  async #byKey(key: string): Promise<FoundSession | undefined> {
    const { store, running } = this.#parts;
    const record = await store.readSession(key);
    if (record !== undefined) return { ...record, record };
    const agent = running.agents.list().find(({ config }) => agentSessionKey(config.id, running.config.session.mainKey) === key);
    return agent === undefined ? undefined : { key, agentId: agent.config.id, isPrivate: true };
  }

  /** The only visible session that fits. */
  async #only(caller: ReachingCaller, scan: SessionScan, fits: (record: SessionRecord) => boolean): Promise<FoundSession | undefined> {
    let only: SessionRecord | undefined;
    for await (const record of this.visible(caller, scan)) {
      if (!fits(record)) continue;
      if (only !== undefined) return undefined;
      only = record;
    }
    return only === undefined ? undefined : { ...only, record: only };
  }
}
