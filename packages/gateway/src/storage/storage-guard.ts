import { EventEmitter } from "node:events";
import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { DiskReserve } from "./disk-reserve.ts";
import { isStorageFull } from "./is-storage-full.ts";

/** Why nothing can be stored. */
export interface StorageProblem {
  /** For users, with what to do. */
  readonly reason: string;
  readonly sinceMs: number;
}

/** The dependencies of the guard. */
export interface StorageGuardOptions {
  /** Absent in some tests: then the probe alone decides. */
  readonly reserve: DiskReserve | undefined;
  /** Commits and flushes a no-op change; rejects while that is impossible. */
  readonly probe: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Events of the storage guard. */
interface StorageEvents {
  /** There is space again. */
  readonly "space-recovered": [];
}

/** Checks for space start after this delay, and back off. */
const FIRST_LOOK_MS = 1_000;
const MAX_LOOK_MS = 30_000;
/** Space that lasts this long resets the backoff. */
const STEADY_MS = 60_000;
/** The reserve is taken after the start, not during it. */
const RESERVE_AFTER_MS = 5_000;

/**
 * Behaviour on a full or read-only disk (R30): no input is accepted, running work gets the reserve and then waits, and everything resumes by itself once there
 * is space. Waiting work survives the end of the process: it is stored up to its last commit.
 */
export class StorageGuard {
  readonly events: EventEmitter<StorageEvents> = new EventEmitter();
  readonly #options: StorageGuardOptions;
  #problem: StorageProblem | undefined;
  /** Why there is no reserve, although everything else can be stored. */
  #shortage: string | undefined;
  #isOpen = false;
  /** No input is accepted again in this process. */
  #isEnding = false;
  #timer: Disposable | undefined;
  #looks = 0;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;
  /** How often the reserve was released. */
  #freed = 0;
  #freeing: Promise<void> | undefined;
  #waiting: ((isSpace: boolean) => void)[] = [];

  constructor(options: StorageGuardOptions) {
    this.#options = options;
  }

  /** Why no input is accepted now; `undefined` if it is. */
  get problem(): StorageProblem | undefined {
    return this.#problem;
  }

  /** Why space is low, while there is still some. */
  get shortage(): string | undefined {
    return this.#problem === undefined ? this.#shortage : undefined;
  }

  /** From now on a write without space waits for it; before, it fails. */
  open(): void {
    this.#isOpen = true;
    if (this.#options.reserve !== undefined)
      this.#timer ??= this.#options.clock.schedule(RESERVE_AFTER_MS, () => {
        this.#timer = undefined;
        void this.keepReserve();
      });
  }

  /** Ends all waits: the process ends, and unstored work is resumed by the next start. */
  close(): void {
    this.#isOpen = false;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  /** From now on no input is accepted, for a reason that only a restart ends; running work continues. */
  refuse(reason: string): void {
    this.#isEnding = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#problem = { reason, sinceMs: this.#options.clock.now() };
  }

  /** Takes the reserve if it is missing. Insufficient space is reported once, and retried with the next call. Never rejects. */
  async keepReserve(): Promise<void> {
    const { reserve, logger } = this.#options;
    if (reserve === undefined || this.#problem !== undefined || !this.#isOpen) return;
    try {
      await reserve.fill();
      this.#shortage = undefined;
    } catch (error) {
      const reason = messageOf(error);
      if (this.#shortage === undefined) logger.warn("The disk is nearly full", { reason });
      this.#shortage = reason;
    }
  }

  /** A write that accepts something new: refused while nothing can be stored. Rejects with a `StoreError` of the code `full`, and as the write does. */
  async take<Result>(write: () => Promise<Result>): Promise<Result> {
    if (this.#problem !== undefined) throw new StoreError("full", this.#problem.reason);
    return this.attempt(write);
  }

  /** A write that nothing depends on: not retried. Rejects as it does. */
  async attempt<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      this.recordFailure(error);
      throw error;
    }
  }

  /** A write that running work depends on: without space it uses the reserve, and then waits. Rejects as it does, and with `full` after `close`. */
  async hold<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const freedBefore = this.#freed;
      try {
        return await write();
      } catch (error) {
        if (!this.recordFailure(error)) throw error;
        await this.#free();
        if (this.#freed === freedBefore && !(await this.#space())) throw error;
      }
    }
  }

  /** Records a failed write; true if it failed because the disk is full or read-only. */
  recordFailure(error: unknown): boolean {
    if (!isStorageFull(error)) return false;
    if (this.#problem === undefined) {
      const { clock, logger } = this.#options;
      this.#problem = { reason: error.message, sinceMs: clock.now() };
      logger.error("Nothing can be stored: no messages are taken until that has changed", { reason: error.message, error });
      if (clock.monotonic() - this.#recoveredAtMs > STEADY_MS) this.#looks = 0;
      if (this.#isOpen) this.#schedule();
    }
    return true;
  }

  #schedule(): void {
    this.#timer?.[Symbol.dispose]();
    const delayMs = Math.min(MAX_LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(this.#looks, 10));
    this.#looks += 1;
    this.#timer = this.#options.clock.schedule(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { reserve, probe, clock, logger } = this.#options;
    try {
      await reserve?.fill();
      await probe();
    } catch (error) {
      if (!this.#isOpen || this.#isEnding) return;
      if (this.#problem !== undefined) this.#problem = { ...this.#problem, reason: messageOf(error) };
      this.#schedule();
      return;
    }
    if (!this.#isOpen || this.#isEnding || this.#problem === undefined) return;
    const { sinceMs } = this.#problem;
    this.#problem = undefined;
    this.#shortage = undefined;
    this.#recoveredAtMs = clock.monotonic();
    logger.info("There is space again: messages are taken", { since: new Date(sinceMs).toISOString() });
    for (const resolve of this.#waiting.splice(0)) resolve(true);
    this.events.emit("space-recovered");
  }

  async #free(): Promise<void> {
    this.#freeing ??= this.#releaseReserve().finally(() => (this.#freeing = undefined));
    await this.#freeing;
  }

  async #releaseReserve(): Promise<void> {
    try {
      if ((await this.#options.reserve?.free()) !== true) return;
      this.#freed += 1;
      this.#options.logger.warn("The disk reserve was released so that running work can finish");
    } catch (error) {
      // A read-only disk releases nothing either.
      this.#options.logger.warn("The reserve could not be given back", { error });
    }
  }

  /** Resolves with whether a retry makes sense. */
  async #space(): Promise<boolean> {
    if (!this.#isOpen) return false;
    if (this.#problem === undefined) return true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown failure";
}
