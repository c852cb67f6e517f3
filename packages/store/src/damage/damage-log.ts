import { readFileSync, renameSync, rmSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@factotum/agent-contract";
import * as z from "zod";
import type { DamageEvent, NewDamageEvent } from "./damage-event.ts";

/** A separate file, because a restored snapshot of the database would not contain findings made after it was taken. */
const NAME = "damage.json";

/** Unacknowledged events listed one by one; further ones are counted in the last event of their kind. */
const MAX_EVENTS = 100;

/** The database of a state folder, and the other databases whose snapshots are in it. */
export interface UsedDatabase {
  readonly id: string;
  /** Other databases whose snapshots were reported since this one is in use. */
  readonly others: readonly string[];
}

interface LogFile {
  /** The number of the next event. */
  readonly next: number;
  readonly events: readonly DamageEvent[];
  /** The database that was used last. */
  readonly database?: UsedDatabase | undefined;
}

const EMPTY: LogFile = { next: 1, events: [] };

const LogFileSchema = z.object({
  next: z.int().min(1),
  events: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["database", "snapshots", "rows"]),
      atMs: z.number().min(0).max(8.64e15),
      text: z.string(),
      count: z.number(),
      isComplete: z.boolean(),
      sessionKey: z.string().exactOptional(),
      rebuilt: z.array(z.string()).exactOptional(),
      affected: z.array(z.string()).exactOptional(),
      path: z.string().exactOptional(),
    }),
  ),
  database: z.object({ id: z.string(), others: z.array(z.string()) }).exactOptional(),
}) satisfies z.ZodType<LogFile>;

/** The events of a state folder whose store is closed, oldest first. A missing or unusable file counts as empty. */
export function readDamageEvents(folder: string): readonly DamageEvent[] {
  return readLog(folder).events;
}

/** The database that a state folder used last, whose store is closed; undefined if it never had one. */
export function readUsedDatabase(folder: string): UsedDatabase | undefined {
  return readLog(folder).database;
}

/** The unacknowledged damage of one state folder. It survives restarts and restored snapshots. */
export class DamageLog {
  readonly #folder: string;
  readonly #clock: Pick<Clock, "now">;
  readonly #logger: Logger;
  #log: LogFile;
  #writing: Promise<void> = Promise.resolve();
  /** The queued write; later records join it. */
  #next: Promise<void> | undefined;

  constructor(folder: string, { clock, logger }: { readonly clock: Pick<Clock, "now">; readonly logger: Logger }) {
    this.#folder = folder;
    this.#clock = clock;
    this.#logger = logger;
    rmSync(temporaryPath(folder), { force: true });
    this.#log = readLog(folder, logger);
  }

  /** Unacknowledged damage, oldest first. */
  list(): readonly DamageEvent[] {
    return this.#log.events;
  }

  /** True while damage of the whole database is unacknowledged: until then no snapshot of an earlier database is removed. */
  get keepsEarlierSnapshots(): boolean {
    return this.#log.events.some(({ kind }) => kind !== "rows");
  }

  /** The database that was used last; undefined if unknown. */
  get database(): UsedDatabase | undefined {
    return this.#log.database;
  }

  /** Records that this database is now in use; resolves once that is on disk. */
  async useDatabase(database: UsedDatabase): Promise<void> {
    this.#log = { ...this.#log, database };
    await this.#write();
  }

  /**
   * Adds an event and resolves once it is on disk. Rows of one session are one event with a count; a record of database damage replaces an earlier one with the
   * same path. `database`: the database in use from now on.
   */
  async record(found: NewDamageEvent, options: { readonly database?: UsedDatabase } = {}): Promise<void> {
    const { next, events, database } = { ...this.#log, ...options };
    const isFull = events.length >= MAX_EVENTS;
    const earlier = events.find(
      ({ kind, path }) => kind === "database" && found.kind === kind && path !== undefined && path === found.path,
    );
    const same = events.findLast(
      ({ kind, sessionKey }) => kind === found.kind && (isFull || (kind === "rows" && sessionKey === found.sessionKey)),
    );
    if (earlier !== undefined) {
      this.#log = { next, events: events.map((event) => (event === earlier ? { ...event, ...found } : event)), database };
    } else if (same === undefined) {
      this.#log = { next: next + 1, events: [...events, { id: `d${next}`, atMs: this.#clock.now(), count: 1, ...found }], database };
    } else {
      const more = { count: same.count + 1, isComplete: same.isComplete && found.isComplete };
      this.#log = { next, events: events.map((event) => (event === same ? { ...event, ...more } : event)), database };
    }
    await this.#write();
  }

  /** Removes acknowledged events, or all of them without `ids`, and resolves with them. Unknown ids are ignored. */
  async acknowledge(ids?: readonly string[]): Promise<readonly DamageEvent[]> {
    const { events } = this.#log;
    const acknowledged = events.filter(({ id }) => ids === undefined || ids.includes(id));
    if (acknowledged.length === 0) return [];
    const before = this.#log;
    this.#log = { ...before, events: events.filter((event) => !acknowledged.includes(event)) };
    try {
      await this.#write();
    } catch (error) {
      const kept = this.#log.events.filter((event) => !acknowledged.includes(event));
      this.#log = { ...this.#log, events: [...acknowledged, ...kept] };
      throw error;
    }
    this.#logger.info("Damage was acknowledged", { events: acknowledged });
    return acknowledged;
  }

  /** Resolves when no write is pending. */
  async close(): Promise<void> {
    await this.#writing;
  }

  /** Writes the state after the previous write has ended; calls until then share one write. */
  #write(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const written = this.#writing.then(() => {
      this.#next = undefined;
      return writeLog(this.#folder, this.#log);
    });
    this.#next = written;
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/** Reads the file. The process that owns the folder (it passes a logger) sets an unusable file aside, so that its next write does not overwrite it. */
function readLog(folder: string, logger?: Logger): LogFile {
  const path = join(folder, NAME);
  try {
    return LogFileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return EMPTY;
    if (logger !== undefined) setAside(path, logger, error);
    return EMPTY;
  }
}

function setAside(path: string, logger: Logger, error: unknown): void {
  const aside = `${path}.unreadable`;
  try {
    rmSync(aside, { recursive: true, force: true });
    renameSync(path, aside);
    logger.error("The list of damage cannot be read: it is set aside, and a new one starts empty", { path, aside, error });
  } catch (cause) {
    logger.error("The list of damage cannot be read, nor set aside; a new one starts empty", { path, error, cause });
  }
}

async function writeLog(folder: string, log: LogFile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(temporaryPath(folder), "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(log, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath(folder), join(folder, NAME));
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function temporaryPath(folder: string): string {
  return join(folder, `${NAME}.tmp`);
}
