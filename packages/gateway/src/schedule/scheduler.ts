import type { Clock, Logger } from "@factotum/agent-contract";
import type { OccurrenceRecord } from "@factotum/store";
import { isFinalStoreError } from "../storage/is-final-store-error.ts";
import { dueSlots, scheduleOf, startOfSlot } from "./due-slots.ts";
import type { JobBook } from "./job-book.ts";

/** The wall clock is looked at again at least this often: it can be set, and the machine can sleep. */
const MAX_WAIT_MS = 60_000;
/** A tick that is later than planned by more than this is reported. */
const LATE_MS = 30_000;

/** Dependencies of the scheduler. */
export interface SchedulerOptions {
  readonly book: JobBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The zone of an agent's user. */
  readonly timeZoneOf: (agentId: string) => string;
  /** True while an occurrence of the job is claimed or running. */
  readonly isBusy: (jobId: string) => boolean;
  /** Takes an occurrence that was claimed. */
  readonly onClaimed: (occurrence: OccurrenceRecord) => void;
  /** Is told of slots that were missed. */
  readonly onMissed: (jobId: string, missed: readonly OccurrenceRecord[]) => void;
}

/**
 * Finds the slots that are due. Each is stored as a row before anything runs, and the row's key makes it run once (R16). The timer runs on the monotonic clock,
 * slots are of the wall clock, which each tick reads again.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #timer: Disposable | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #plannedMs = 0;
  #lateMs = 0;
  #isStopped = true;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Claims what is due, and goes on until `stop`. */
  start(): void {
    this.#isStopped = false;
    this.#plannedMs = this.#options.clock.monotonic();
    this.poke();
  }

  /** Looks at the jobs now: one has changed. */
  poke(): void {
    if (this.#isStopped) return;
    this.#timer?.[Symbol.dispose]();
    this.#plannedMs = Math.min(this.#plannedMs, this.#options.clock.monotonic());
    this.#ticking = this.#ticking.then(() => this.#tick());
  }

  /** By how many milliseconds the last tick was too late; 0 if it was in time. */
  get lateMs(): number {
    const overdueMs = this.#isStopped ? 0 : this.#options.clock.monotonic() - this.#plannedMs - MAX_WAIT_MS;
    return Math.max(this.#lateMs, overdueMs > LATE_MS ? overdueMs : 0);
  }

  /** Resolves when nothing is being claimed any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
    await this.#ticking;
  }

  async #tick(): Promise<void> {
    if (this.#isStopped) return;
    const { book, clock, logger } = this.#options;
    const latenessMs = clock.monotonic() - this.#plannedMs;
    this.#lateMs = latenessMs > LATE_MS ? latenessMs : 0;
    if (this.#lateMs > 0) logger.warn("The scheduler was late", { ms: Math.round(latenessMs) });
    let isOver = false;
    for (const { id } of book.list()) {
      try {
        await this.#claim(id);
      } catch (error) {
        isOver ||= isFinalStoreError(error);
        // The slot has no row yet, so that the next tick finds it again.
        logger.error("What is due of a job could not be stored", { jobId: id, error });
      }
      if (isOver || this.#isStopped) return;
    }
    this.#arm();
  }

  async #claim(id: string): Promise<void> {
    const { book, clock, timeZoneOf, isBusy, onClaimed, onMissed } = this.#options;
    const added = await book.claim(id, (job) =>
      job.nextSlotMs === undefined
        ? undefined
        : dueSlots(job, scheduleOf(job, timeZoneOf(job.agentId)), { nowMs: clock.now(), isBusy: isBusy(id) }),
    );
    for (const occurrence of added) if (occurrence.state === "claimed") onClaimed(occurrence);
    const missed = added.filter(({ state }) => state === "missed");
    if (missed.length > 0) onMissed(id, missed);
  }

  #arm(): void {
    const { book, clock } = this.#options;
    const nowMs = clock.now();
    const starts = book.list().flatMap((job) => (job.nextSlotMs === undefined ? [] : startOfSlot(job, job.nextSlotMs) - nowMs));
    const delayMs = Math.min(MAX_WAIT_MS, ...starts.map((startMs) => Math.max(0, startMs)));
    this.#plannedMs = clock.monotonic() + delayMs;
    this.#timer = clock.schedule(delayMs, () => this.poke());
  }
}
