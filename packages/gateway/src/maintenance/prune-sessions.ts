import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { Store, ConversationRecord } from "@factotum/store";
import { StoreError } from "@factotum/store";
import type { MediaStage } from "../media/media-stage.ts";
import type { MaintenanceBounds } from "./maintenance-bounds.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Sessions with activity within a day are removed only by the age limit. */
const RECENT_MS = DAY_MS;
/** Sessions, or conversations, scanned between two pauses. */
const PAGE = 50;
/** If the limit is exceeded, usage is reduced to this fraction of it, so that not every message causes a cleaning. */
const LOW_WATER = 0.8;

/** The dependencies on the rest of the gateway. */
export interface PruneTargets {
  /** It is in use or being watched, or is one that always stays. */
  readonly keeps: (sessionKey: string) => boolean;
  /** Removes a session in its lane, with its media; false for one that is kept, or no longer exists. */
  readonly removeSession: (sessionKey: string) => Promise<boolean>;
}

/** What a pass has removed, or would have. */
export interface Pruned {
  sessions: number;
  conversations: number;
  bytes: number;
}

/** The dependencies of pruning. */
export interface PruneOptions {
  readonly store: Store;
  readonly media: MediaStage;
  readonly clock: Clock;
  /** The clock for deletions by age: see `createSteadyNow`. */
  readonly steadyNow: () => number;
}

/**
 * One pass over all sessions. It yields between slices, each of which reads a page of rows and removes every conversation of it in a separate transaction. Age
 * first; then surplus sessions, longest idle first; then size: conversations that have ended, the oldest first, then sessions, longest idle first.
 */
export async function* pruneSessions(
  bounds: MaintenanceBounds,
  targets: PruneTargets,
  options: PruneOptions,
): AsyncGenerator<void, Pruned> {
  const pass = new PrunePass(bounds, targets, options);
  yield* pass.run();
  return pass.pruned;
}

class PrunePass {
  readonly pruned: Pruned = { sessions: 0, conversations: 0, bytes: 0 };
  readonly #counted = new Set<string>();
  readonly #bounds: MaintenanceBounds;
  readonly #targets: PruneTargets;
  readonly #options: PruneOptions;

  constructor(bounds: MaintenanceBounds, targets: PruneTargets, options: PruneOptions) {
    this.#bounds = bounds;
    this.#targets = targets;
    this.#options = options;
  }

  async *run(): AsyncGenerator<void> {
    const { maxAgeMs, maxSessions, maxBytes } = this.#bounds;
    const { store, steadyNow } = this.#options;
    const nowMs = steadyNow();
    const oldMs = maxAgeMs === undefined ? undefined : nowMs - maxAgeMs;
    if (oldMs !== undefined) yield* this.#removeSessions(oldMs, () => true);
    if (maxSessions !== undefined) {
      const surplus = (await store.counts()).sessions - (this.#isTrial ? this.pruned.sessions : 0) - maxSessions;
      const end = this.pruned.sessions + surplus;
      yield* this.#removeSessions(nowMs - RECENT_MS, () => this.pruned.sessions < end);
    }
    if (oldMs === undefined && maxBytes === undefined) return;
    let copyBytes = 0;
    yield* this.#eachConversation(async (conversation) => {
      if (oldMs !== undefined && conversation.isEnded && conversation.activeAtMs <= oldMs) await this.#removeConversation(conversation);
      else copyBytes += conversation.copyBytes;
    });
    if (maxBytes !== undefined) yield* this.#freeBytes(copyBytes, maxBytes);
  }

  async *#freeBytes(copyBytes: number, maxBytes: number): AsyncGenerator<void> {
    const { store, steadyNow } = this.#options;
    const used = (await store.usedBytes()) + copyBytes;
    if (used <= maxBytes) return;
    // Plain files of deleted conversations are kept for a while, if the disk limit allows it.
    yield* this.#dropRemovedCopies();
    const end = this.pruned.bytes + used - maxBytes * LOW_WATER;
    const isTooMuch = (): boolean => this.pruned.bytes < end;
    yield* this.#eachConversation(async (conversation) => {
      if (conversation.isEnded && isTooMuch()) await this.#removeConversation(conversation);
    });
    yield* this.#removeSessions(steadyNow() - RECENT_MS, isTooMuch);
    yield* this.#dropRemovedCopies();
  }

  async *#dropRemovedCopies(): AsyncGenerator<void> {
    const { store, steadyNow } = this.#options;
    if (this.#isTrial) return;
    while (await store.maintain({ nowMs: steadyNow(), keepDeletedCopiesMs: 0 })) yield;
  }

  async *#eachConversation(visit: (conversation: ConversationRecord) => Promise<void>): AsyncGenerator<void> {
    let cursor: string | undefined;
    do {
      const page = await this.#options.store.listConversations({ limit: PAGE, ...withoutUndefined({ cursor }) });
      for (const conversation of page.items) await visit(conversation);
      cursor = page.cursor;
      yield;
    } while (cursor !== undefined);
  }

  async *#removeSessions(notAfterMs: number, isTooMuch: () => boolean): AsyncGenerator<void> {
    let cursor: string | undefined;
    do {
      if (!isTooMuch()) return;
      const page = await this.#options.store.listIdleSessions({ notAfterMs, limit: PAGE, ...withoutUndefined({ cursor }) });
      for (const { key, importedAtMs = 0 } of page.items)
        if (isTooMuch() && importedAtMs <= notAfterMs && !this.#targets.keeps(key)) await this.#removeSession(key, notAfterMs);
      cursor = page.cursor;
      yield;
    } while (cursor !== undefined);
  }

  async #removeSession(key: string, notAfterMs: number): Promise<void> {
    if (this.#isCounted(key)) return;
    const { items } = await this.#options.store.listConversations({ sessionKey: key, limit: 1000 });
    const copyBytes = items.reduce((sum, conversation) => sum + conversation.copyBytes, 0);
    const isRemoved = await this.#measured(copyBytes, async () => {
      // It may have been active since the page was read, and be idle again.
      const record = await this.#options.store.readSession(key);
      return record !== undefined && record.updatedAtMs <= notAfterMs && this.#targets.removeSession(key);
    });
    if (isRemoved) this.pruned.sessions += 1;
  }

  async #removeConversation({ sessionId, copyBytes }: ConversationRecord): Promise<void> {
    const { store, clock, media } = this.#options;
    if (this.#isCounted(sessionId)) return;
    const isRemoved = await this.#measured(copyBytes, async () => {
      const removed = await store.deleteConversation(sessionId, { nowMs: clock.now() });
      if (removed) await media.store.removeSession(sessionId);
      return removed;
    });
    if (isRemoved) this.pruned.conversations += 1;
  }

  /** A dry run deletes nothing, so the same rows come back; skip them. */
  #isCounted(id: string): boolean {
    if (this.#counted.has(id)) return true;
    if (this.#isTrial) this.#counted.add(id);
    return false;
  }

  /** Removes something, unless this is a dry run, and counts the freed size. */
  async #measured(copyBytes: number, remove: () => Promise<boolean>): Promise<boolean> {
    if (this.#isTrial) {
      // The rows of a conversation take about as much as its plain file.
      this.pruned.bytes += 2 * copyBytes;
      return true;
    }
    const { store } = this.#options;
    const before = await store.usedBytes();
    try {
      if (!(await remove())) return false;
    } catch (error) {
      // It has become active meanwhile, or was removed.
      if (StoreError.isInstance(error) && (error.code === "conflict" || error.code === "not-found")) return false;
      throw error;
    }
    this.pruned.bytes += copyBytes + Math.max(0, before - (await store.usedBytes()));
    return true;
  }

  get #isTrial(): boolean {
    return this.#bounds.mode === "warn";
  }
}
