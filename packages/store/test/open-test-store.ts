import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { NOW_MS } from "../contract/samples.ts";
import type { StoreFixture } from "../contract/contract-context.ts";
import { openSqliteStore } from "../src/index.ts";
import type { SqliteStore, SqliteStoreOptions, StoreDamage } from "../src/index.ts";

/** A manual clock, whose timers fire on `fire`. */
export interface TestClock extends Clock {
  nowMs: number;
  /** Scheduled timers that were not disposed. */
  readonly timers: ReadonlySet<() => void>;
  /** Fires all scheduled timers. */
  fire(): void;
}

export function createTestClock(): TestClock {
  const timers = new Set<() => void>();
  const clock: TestClock = {
    nowMs: NOW_MS,
    timers,
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    schedule: (_delayMs, callback) => {
      const timer = (): void => callback();
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    fire: () => {
      const due = new Set(timers);
      timers.clear();
      for (const timer of due) timer();
    },
  };
  return clock;
}

export const TEST_RANDOM: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID(), float: () => Math.random() };

/** A logger that records its lines. */
export interface TestLogger extends Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly fields?: Readonly<Record<string, unknown>> }[];
}

export function createTestLogger(): TestLogger {
  const lines: TestLogger["lines"] = [];
  const write =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push({ level, message, ...withoutUndefined({ fields }) });
    };
  const logger: TestLogger = {
    lines,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => logger,
  };
  return logger;
}

/** A temporary state folder, and the stores opened over it. */
export interface SqliteFixture extends StoreFixture {
  open(): Promise<SqliteStore>;
  readonly folder: string;
  readonly file: string;
  readonly clock: TestClock;
  readonly logger: TestLogger;
  readonly damages: StoreDamage[];
  readonly options: SqliteStoreOptions;
  copyPath(sessionId: string): string;
}

export async function createSqliteFixture(): Promise<SqliteFixture> {
  const root = await mkdtemp(join(tmpdir(), "factotum-store-"));
  const folder = join(root, "state");
  const copies = join(root, "agents");
  const stores: SqliteStore[] = [];
  const damages: StoreDamage[] = [];
  const clock = createTestClock();
  const logger = createTestLogger();
  const options: SqliteStoreOptions = {
    folder,
    copies: {
      folder: (agentId) => join(copies, agentId, "sessions"),
      cwd: (agentId) => `/home/ada/workspace-${agentId}`,
      agents: async () => readdir(copies).catch(() => []),
    },
    clock,
    random: TEST_RANDOM,
    logger,
    onDamage: (damage) => damages.push(damage),
  };
  return {
    folder,
    file: join(folder, "factotum.sqlite"),
    clock,
    logger,
    damages,
    options,
    copyPath: (sessionId) => join(copies, "main", "sessions", `${sessionId}.jsonl`),
    async open() {
      const store = await openSqliteStore(options);
      stores.push(store);
      return store;
    },
    rowsRead: () => stores.at(-1)?.metrics().rowsRead ?? 0,
    async remove() {
      for (const store of stores) await store.close();
      await rm(root, { recursive: true });
    },
  };
}
