import { createHash } from "node:crypto";
import type { AccountChange, ChannelHost } from "@factotum/channel-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { Lock, QueueEntry, StateAdapter } from "chat";
import * as z from "zod";
import type { Deliveries, Delivery } from "../chat/delivery.ts";

/** The SDK's state, in the account's state. */
export interface AccountStateAdapter extends StateAdapter {
  /** Forgets what a request wrote that was not committed. */
  discard(delivery: Delivery): void;
  /** Resolves once what is left of a request is on disk. */
  commit(delivery: Delivery): Promise<void>;
}

interface PendingRow {
  readonly change: AccountChange;
  readonly delivery: Delivery;
}

/** Keys within the limit of the account's state, with room for the name of the row. */
const MAX_KEY_LENGTH = 400;
const RowSchema = z.looseObject({ value: z.unknown() });

/**
 * Keeps the values, lists and subscriptions of an adapter. What an adapter writes while it handles a request of the platform is seen by others at once and is on disk
 * with the event of the request, never before: after a failure or a kill the platform's next delivery finds the state of before. Locks are of this process.
 */
export function createStateAdapter(
  host: Pick<ChannelHost, "state" | "commit" | "clock" | "random">,
  deliveries: Deliveries,
): AccountStateAdapter {
  const pending = new Map<string, PendingRow>();
  const rows = createKeyedQueue();

  const read = async (key: string): Promise<unknown> => {
    const change = pending.get(key)?.change;
    if (change?.type === "delete") return undefined;
    if (change !== undefined && (change.expiresAtMs ?? Infinity) <= host.clock.now()) return undefined;
    const value = change === undefined ? await host.state.get(key) : change.value;
    return value?.type === "json" ? RowSchema.safeParse(value.json).data?.value : undefined;
  };
  const write = async (change: AccountChange): Promise<void> => {
    const delivery = deliveries.current();
    const before = pending.get(change.key)?.delivery;
    // The newest write of a row is the one that is committed, by any writer.
    before?.changes.delete(change.key);
    if (delivery !== undefined) {
      delivery.changes.set(change.key, change);
      pending.set(change.key, { change, delivery });
      return;
    }
    pending.delete(change.key);
    if (change.type === "delete") await host.state.delete(change.key);
    else await host.state.set(change.key, change.value, change.expiresAtMs === undefined ? {} : { expiresAtMs: change.expiresAtMs });
  };
  const set = async (key: string, value: unknown, ttlMs?: number): Promise<void> => {
    const json = { value: value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown) };
    const expiry = ttlMs === undefined ? {} : { expiresAtMs: host.clock.now() + ttlMs };
    return write({ type: "set", key, value: { type: "json", json }, ...expiry });
  };
  const readList = async (key: string): Promise<unknown[]> => {
    const list = await read(key);
    return Array.isArray(list) ? list : [];
  };
  const drop = (delivery: Delivery): void => {
    for (const [key, row] of pending) if (row.delivery === delivery) pending.delete(key);
  };

  return {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    get: async <T>(key: string) => ((await read(rowKey("value", key))) ?? null) as T | null,
    set: async (key, value, ttlMs) => set(rowKey("value", key), value, ttlMs),
    delete: async (key) => write({ type: "delete", key: rowKey("value", key) }),
    setIfNotExists: async (name, value, ttlMs) => {
      const key = rowKey("value", name);
      return rows.run(key, async () => {
        if ((await read(key)) !== undefined) return false;
        await set(key, value, ttlMs);
        return true;
      });
    },
    appendToList: async (name, value, { maxLength, ttlMs } = {}) => {
      const key = rowKey("list", name);
      return rows.run(key, async () => {
        const list = [...(await readList(key)), value];
        await set(key, maxLength === undefined ? list : list.slice(-maxLength), ttlMs);
      });
    },
    getList: async <T>(key: string) => (await readList(rowKey("list", key))) as T[],
    subscribe: async (threadId) => set(rowKey("subscription", threadId), true),
    unsubscribe: async (threadId) => write({ type: "delete", key: rowKey("subscription", threadId) }),
    isSubscribed: async (threadId) => (await read(rowKey("subscription", threadId))) !== undefined,
    ...createLocks(host),
    ...createQueues(),
    discard: drop,
    async commit(delivery) {
      const state = [...delivery.changes.values()];
      if (state.length > 0) await host.commit({ state });
      drop(delivery);
    },
  };
}

/** Locks end with the process, as their holders do. */
function createLocks({
  clock,
  random,
}: Pick<ChannelHost, "clock" | "random">): Pick<StateAdapter, "acquireLock" | "extendLock" | "forceReleaseLock" | "releaseLock"> {
  const locks = new Map<string, Lock>();
  const held = (threadId: string): Lock | undefined => {
    const lock = locks.get(threadId);
    return lock !== undefined && lock.expiresAt > clock.now() ? lock : undefined;
  };
  const isHeld = ({ threadId, token }: Lock): boolean => held(threadId)?.token === token;
  return {
    acquireLock(threadId, ttlMs) {
      if (held(threadId) !== undefined) return Promise.resolve(null);
      const lock = { threadId, token: random.uuid(), expiresAt: clock.now() + ttlMs };
      locks.set(threadId, lock);
      return Promise.resolve(lock);
    },
    extendLock(lock, ttlMs) {
      if (!isHeld(lock)) return Promise.resolve(false);
      locks.set(lock.threadId, { ...lock, expiresAt: clock.now() + ttlMs });
      return Promise.resolve(true);
    },
    forceReleaseLock(threadId) {
      locks.delete(threadId);
      return Promise.resolve();
    },
    releaseLock(lock) {
      if (isHeld(lock)) locks.delete(lock.threadId);
      return Promise.resolve();
    },
  };
}

/** Messages that wait for a handler; the gateway has the queue that counts. */
function createQueues(): Pick<StateAdapter, "dequeue" | "enqueue" | "queueDepth"> {
  const queues = new Map<string, readonly QueueEntry[]>();
  return {
    enqueue(threadId, entry, maxSize) {
      const queue = [...(queues.get(threadId) ?? []), entry].slice(-maxSize);
      queues.set(threadId, queue);
      return Promise.resolve(queue.length);
    },
    dequeue(threadId) {
      const [first, ...rest] = queues.get(threadId) ?? [];
      if (rest.length === 0) queues.delete(threadId);
      else queues.set(threadId, rest);
      return Promise.resolve(first ?? null);
    },
    queueDepth: (threadId) => Promise.resolve(queues.get(threadId)?.length ?? 0),
  };
}

function rowKey(kind: "value" | "list" | "subscription", key: string): string {
  const short = key.length > MAX_KEY_LENGTH || !key.isWellFormed() ? `sha256:${createHash("sha256").update(key).digest("base64url")}` : key;
  return `sdk/${kind}/${short}`;
}
