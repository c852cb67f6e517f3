import type { AccountChange, AccountState, Clock } from "@factotum/channel-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { KeyedQueue } from "@factotum/channel-kit";
import { isOpen, readTask } from "./task-record.ts";
import type { TaskRecord } from "./task-record.ts";

/** Limits of the tasks that are kept of one peer: all peers together stay below the limit of an account's state. */
const MAX_TASKS = 100;
const MAX_PEER_BYTES = 2 * 1024 * 1024;
const MAX_OPEN_TASKS = 8;
const KEPT_MS = 7 * 24 * 60 * 60_000;
/** How often waiting requests check again without a change, for a task whose time limit has passed. */
const LOOK_AGAIN_MS = 60_000;

/** Thrown when a peer has the maximum of open tasks. */
export class TooManyTasks extends Error {
  override readonly name = "TooManyTasks";
}

/** The tasks of an account, in its state: each peer reaches its own alone. */
export class TaskBook {
  readonly #state: AccountState;
  readonly #clock: Pick<Clock, "now" | "schedule">;
  readonly #queue: KeyedQueue = createKeyedQueue();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor({ state, clock }: { readonly state: AccountState; readonly clock: Pick<Clock, "now" | "schedule"> }) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Runs one change of a peer's tasks after the other. */
  exclusively<T>(peer: string, change: () => Promise<T>): Promise<T> {
    return this.#queue.run(peer, change);
  }

  async get(peer: string, id: string): Promise<TaskRecord | undefined> {
    const value = await this.#state.get(keyOf(peer, id));
    return value?.type === "json" ? readTask(value.json, this.#clock.now()) : undefined;
  }

  /** A peer's tasks, newest first. */
  async list(peer: string): Promise<readonly TaskRecord[]> {
    const nowMs = this.#clock.now();
    const rows = await this.#state.list(keyOf(peer, ""));
    return rows
      .flatMap(({ value }) => (value.type === "json" ? (readTask(value.json, nowMs) ?? []) : []))
      .toSorted((left, right) => right.createdAtMs - left.createdAtMs);
  }

  /** The changes of the state by which a peer gets another task; its oldest ended ones make room. Rejects with TooManyTasks. */
  async adding(peer: string, record: TaskRecord): Promise<readonly AccountChange[]> {
    const tasks = await this.list(peer);
    if (isOpen(record) && tasks.filter(isOpen).length >= MAX_OPEN_TASKS)
      throw new TooManyTasks(`${MAX_OPEN_TASKS} tasks are open: wait for one, or cancel it`);
    let [count, bytes] = [1, 0];
    const surplus = tasks.filter((task) => {
      count += 1;
      bytes += Buffer.byteLength(JSON.stringify(task));
      return (count > MAX_TASKS || bytes > MAX_PEER_BYTES) && !isOpen(task);
    });
    return [...surplus.map(({ id }) => ({ type: "delete" as const, key: keyOf(peer, id) })), this.changing(peer, record)];
  }

  /** The change of the state by which a task is as the record says. */
  changing(peer: string, record: TaskRecord): AccountChange {
    const expiresAtMs = this.#clock.now() + KEPT_MS;
    return { type: "set", key: keyOf(peer, record.id), value: { type: "json", json: record }, expiresAtMs };
  }

  /** Stores a task, and those that it takes the place of; resolves once it is on disk. */
  async store(peer: string, record: TaskRecord, { isNew }: { readonly isNew: boolean }): Promise<void> {
    for (const change of isNew ? await this.adding(peer, record) : [this.changing(peer, record)]) {
      if (change.type === "delete") await this.#state.delete(change.key);
      else
        await this.#state.set(change.key, change.value, { ...(change.expiresAtMs !== undefined && { expiresAtMs: change.expiresAtMs }) });
    }
    this.tell(peer, record.id);
  }

  /** Wakes those who wait for a change of a task. */
  tell(peer: string, id: string): void {
    for (const wake of this.#waiting.get(keyOf(peer, id)) ?? []) wake();
  }

  /** Watches a task: `changed` resolves after its next change since the last call, when the signal fires, or after a while. */
  watch(peer: string, id: string, signal: AbortSignal): Disposable & { changed(): Promise<void> } {
    const key = keyOf(peer, id);
    let next = Promise.withResolvers<void>();
    const wake = (): void => next.resolve();
    const all = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, all.add(wake));
    signal.addEventListener("abort", wake);
    return {
      changed: async () => {
        if (!signal.aborted) {
          using _late = this.#clock.schedule(LOOK_AGAIN_MS, wake);
          await next.promise;
        }
        next = Promise.withResolvers();
      },
      [Symbol.dispose]: () => {
        signal.removeEventListener("abort", wake);
        all.delete(wake);
        if (all.size === 0 && this.#waiting.get(key) === all) this.#waiting.delete(key);
      },
    };
  }
}

function keyOf(peer: string, id: string): string {
  return `task/${peer}/${id}`;
}
