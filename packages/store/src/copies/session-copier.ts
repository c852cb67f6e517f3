import { withoutUndefined } from "@factotum/agent-contract";
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "../port/store-error.ts";
import type { MaintenanceOptions } from "../port/store.ts";
import { renderEntry, renderHeader } from "../session-file/render-session-file.ts";
import type { CopyBook, CopyPosition, CopyTask } from "./copy-book.ts";

/** Entries rendered and written per batch. */
const PAGE = 200;
/** Positions that may wait for the next commit; more than that get a commit of their own. */
const MAX_WAITING = 256;
/** How long entries are batched, so that an active conversation opens its file once for many of them. A stop does not wait. */
const GATHER_MS = 1_000;
/** How long the plain file of a deleted session is kept. */
const KEEP_DELETED_MS = 30 * 24 * 60 * 60 * 1000;

/** Where the plain files are, and what their header says. */
export interface CopyOptions {
  /** The folder of an agent's sessions, absolute: `agents/<agentId>/sessions`. Created on demand. */
  folder(agentId: string): string;
  /** The agent's workspace. */
  cwd(agentId: string): string;
  /** Every agent that may have a folder, including agents that are no longer configured. Called when the database was lost. */
  agents(): Promise<readonly string[]>;
}

/**
 * Maintains the plain files: one line per committed entry, shortly after its commit. It runs in the background, one file at a time, and keeps none open. The
 * stored position says how much of a file is verified; anything after it is cut off before the next write.
 */
export class SessionCopier {
  readonly #book: CopyBook;
  readonly #options: CopyOptions;
  readonly #clock: Pick<Clock, "schedule">;
  readonly #logger: Logger;
  readonly #dirty: Set<number> = new Set();
  readonly #failed: Map<number, unknown> = new Map();
  #starting: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;
  #gathering: Disposable | undefined;
  #isStopped = false;

  constructor(
    book: CopyBook,
    options: CopyOptions,
    { clock, logger }: { readonly clock: Pick<Clock, "schedule">; readonly logger: Logger },
  ) {
    this.#book = book;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Resumes the work of the previous process: files that lag, and files of deleted sessions that were not renamed yet. */
  start(): void {
    this.#starting = this.#takeUp();
  }

  /** The conversation has new entries: they are written soon, batched with those that follow. */
  mark(n: number): void {
    this.#dirty.add(n);
    if (this.#running === undefined) this.#gather();
  }

  /** Waits until every copy is complete; rejects when one cannot be written. */
  async flush(): Promise<void> {
    await this.#starting;
    // The running round may have passed a conversation that has grown since.
    await this.#running;
    for (const n of this.#failed.keys()) this.#dirty.add(n);
    this.#begin();
    await this.#running;
    for (const cause of this.#failed.values()) throw toCopyError(cause);
  }

  /** Completes the copies as far as possible and stores their positions. */
  async stop(): Promise<void> {
    try {
      await this.flush();
      await this.#book.savePositions();
    } catch (error) {
      this.#logger.warn("The plain copies of the sessions are not complete; the next start completes them.", { error });
    }
    this.#isStopped = true;
    this.#gathering?.[Symbol.dispose]();
  }

  /** Renames the files of deleted sessions. */
  async renameDeleted(): Promise<void> {
    for (const file of this.#book.toRename()) {
      const path = this.#pathOf(file);
      await rename(path, `${path}.deleted.${stampOf(file.deletedAtMs)}`).catch(ignoreMissing);
      await this.#book.renamed(file.n);
    }
  }

  /** Removes the files of sessions that were deleted long ago; true if there are more. */
  async removeDeleted(options: MaintenanceOptions): Promise<boolean> {
    const beforeMs = options.nowMs - (options.keepDeletedCopiesMs ?? KEEP_DELETED_MS);
    const files = this.#book.toRemove(beforeMs, PAGE);
    for (const file of files) await rm(`${this.#pathOf(file)}.deleted.${stampOf(file.deletedAtMs)}`, { force: true });
    await this.#book.removed(files.map((file) => file.n));
    return files.length === PAGE;
  }

  async #takeUp(): Promise<void> {
    try {
      await this.renameDeleted();
      for (const n of this.#book.behind()) this.#dirty.add(n);
      this.#begin();
    } catch (error) {
      this.#logger.warn("The plain copies of the sessions could not be taken up.", { error });
    }
  }

  #gather(): void {
    if (!this.#isStopped && this.#dirty.size > 0) this.#gathering ??= this.#clock.schedule(GATHER_MS, () => this.#begin());
  }

  #begin(): void {
    this.#gathering?.[Symbol.dispose]();
    this.#gathering = undefined;
    if (!this.#isStopped && this.#dirty.size > 0) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    await nextTick();
    const batch = [...this.#dirty];
    this.#dirty.clear();
    for (const n of batch) {
      try {
        await this.#copy(n);
        if (this.#book.waiting >= MAX_WAITING) await this.#book.savePositions();
        if (this.#failed.delete(n) && this.#failed.size === 0) this.#logger.info("The plain copies of the sessions are written again.");
      } catch (error) {
        if (this.#failed.size === 0) this.#logger.warn("A plain copy of a session could not be written; it is tried again.", { error });
        this.#failed.set(n, error);
      }
    }
    this.#running = undefined;
    this.#gather();
  }

  async #copy(n: number): Promise<void> {
    for (let task = this.#book.next(n, PAGE); task !== undefined; task = this.#book.next(n, PAGE)) {
      this.#book.moveTo(n, await this.#write(task));
    }
  }

  /** Writes one page after the verified part. A file that is shorter than that was changed by another program: it is rewritten from its start. */
  async #write(task: CopyTask): Promise<CopyPosition> {
    const path = this.#pathOf(task);
    const file = await openOrMake(path);
    try {
      const { size } = await file.stat();
      if (size < task.position.bytes) return { entry: 0, bytes: 0 };
      this.#book.requireOwnership();
      if (size > task.position.bytes) await file.truncate(task.position.bytes);
      const { sessionId, sessionKey, startedAtMs, importedAtMs, spawnedBy } = task;
      const cwd = this.#options.cwd(task.agentId);
      const header =
        task.position.bytes === 0
          ? renderHeader({ sessionId, startedAtMs, cwd, sessionKey, ...withoutUndefined({ importedAtMs, spawnedBy }) })
          : "";
      const bytes = Buffer.from(header + task.entries.map(renderEntry).join(""));
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, task.position.bytes + done);
        done += bytesWritten;
      }
      return { entry: task.lastEntry, bytes: task.position.bytes + bytes.length };
    } finally {
      await file.close();
    }
  }

  #pathOf(file: { readonly agentId: string; readonly sessionId: string }): string {
    return join(this.#options.folder(file.agentId), `${file.sessionId}.jsonl`);
  }
}

/** The folder nearly always exists, so it is created only after the file could not be opened. */
async function openOrMake(path: string): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT;
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, 0o600);
  }
}

/** A timestamp that is a valid file name on every file system. */
function stampOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replaceAll(":", "-");
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** A session without entries has no file. */
function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}

function toCopyError(cause: unknown): StoreError {
  if (StoreError.isInstance(cause)) return cause;
  const isFull = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"].includes(String(codeOf(cause)));
  return new StoreError(isFull ? "full" : "internal", "A plain copy of a session could not be written. Check the folder and its disk.", {
    cause,
  });
}
