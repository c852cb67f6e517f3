import type { Clock, Logger } from "@factotum/agent-contract";
import type { Schedule } from "@factotum/schedule";
import { StoreError } from "@factotum/store";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import { dueSlots, scheduleOf, startOfSlot } from "./due-slots.ts";
import type { JobBook } from "./job-book.ts";
import type { JobRunner } from "./job-runner.ts";

/** The wall clock is looked at again at least this often: it can be set, and the machine can sleep. */
const MAX_WAIT_MS = 60_000;
/** A tick that is later than planned by more than this is reported. */
const LATE_MS = 30_000;
/** Minimum delay of the next look after a slot that could not be stored. */
const RETRY_MS = 5_000;

/** A job's parsed schedule: parsing it takes longer than the rest of a look at a job. */
interface ReadSchedule {
  readonly spec: JobRecord["spec"];
  readonly scheduledAtMs: number;
  readonly timezone: string;
  readonly schedule: Schedule;
}

/** Dependencies of the scheduler. */
export interface SchedulerOptions {
  readonly book: JobBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The zone of an agent's user. */
  readonly timeZoneOf: (agentId: string) => string;
  readonly runner: Pick<JobRunner, "isBusy" | "isCatchingUp">;
  /** Takes an occurrence that was claimed. */
  readonly onClaimed: (occurrence: OccurrenceRecord) => void;
  /** Is told of each slot whose outcome is that nothing runs. */
  readonly onOutcome: (occurrence: OccurrenceRecord) => void;
  /** Another process owns the state: this one has to end. */
  readonly onLostOwnership: () => void;
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
  /** The wall clock at the last look. A clock before that was set back: slots earlier than the stored ones may fall due. */
  #seenMs = Infinity;
  readonly #schedules = new Map<string, ReadSchedule>();

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
    this.#seenMs = Infinity;
    this.#look();
  }

  #look(): void {
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
    const nowMs = clock.now();
    const isSetBack = nowMs < this.#seenMs;
    this.#seenMs = nowMs;
    let [isOver, hasFailed] = [false, false];
    const jobs = book.list();
    for (const id of this.#schedules.keys()) if (book.get(id) === undefined) this.#schedules.delete(id);
    for (const { id } of jobs) {
      try {
        await this.#claim(id, isSetBack);
      } catch (error) {
        isOver ||= isEnd(error);
        hasFailed = true;
        // The slot has no row yet, so that the next tick finds it again.
        logger.error("What is due of a job could not be stored", { jobId: id, error });
        if (isLostOwnership(error)) this.#options.onLostOwnership();
      }
      if (isOver || this.#isStopped) return;
    }
    this.#arm(hasFailed ? RETRY_MS : 0);
  }

  async #claim(id: string, isSetBack: boolean): Promise<void> {
    const { book, clock, runner, onClaimed, onOutcome, onMissed } = this.#options;
    const isDue = (job: JobRecord): boolean =>
      job.nextSlotMs !== undefined && (isSetBack || startOfSlot(job, job.nextSlotMs) <= clock.now());
    const known = book.get(id);
    if (known === undefined || !isDue(known)) return;
    const added = await book.claim(id, (job) =>
      isDue(job)
        ? dueSlots(job, this.#scheduleOf(job), { nowMs: clock.now(), isBusy: runner.isBusy(id), isCatchingUp: runner.isCatchingUp(id) })
        : undefined,
    );
    for (const occurrence of added) (occurrence.state === "claimed" ? onClaimed : onOutcome)(occurrence);
    const missed = added.filter(({ state }) => state === "missed");
    if (missed.length > 0) onMissed(id, missed);
  }

  #scheduleOf(job: JobRecord): Schedule {
    const { id, spec, scheduledAtMs } = job;
    const timezone = this.#options.timeZoneOf(job.agentId);
    const read = this.#schedules.get(id);
    if (read?.spec === spec && read.scheduledAtMs === scheduledAtMs && read.timezone === timezone) return read.schedule;
    const schedule = scheduleOf(job, timezone);
    this.#schedules.set(id, { spec, scheduledAtMs, timezone, schedule });
    return schedule;
  }

  #arm(soonestMs: number): void {
    const { book, clock } = this.#options;
    const nowMs = clock.now();
    const starts = book.list().flatMap((job) => (job.nextSlotMs === undefined ? [] : startOfSlot(job, job.nextSlotMs) - nowMs));
    const delayMs = Math.min(MAX_WAIT_MS, ...starts.map((startMs) => Math.max(soonestMs, startMs)));
    this.#plannedMs = clock.monotonic() + delayMs;
    this.#timer = clock.schedule(delayMs, () => this.#look());
  }
}

function isLostOwnership(error: unknown): boolean {
  return StoreError.isInstance(error) && error.code === "lost-ownership";
}

/** True for a failure after which this process stores nothing more. */
function isEnd(error: unknown): boolean {
  return isLostOwnership(error) || (StoreError.isInstance(error) && error.code === "closed");
}
