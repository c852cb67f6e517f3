import type { JobCatchUp } from "@factotum/agent-contract";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import { nextInstant, parseDuration, parseSchedule, spreadDelayMs } from "@factotum/schedule";
import type { Schedule } from "@factotum/schedule";
import { withoutUndefined } from "@factotum/agent-contract";

/** A slot that is found no later than this is run, whatever the job says about missed ones: a restart of the gateway takes seconds. */
export const ON_TIME_MS: number = 5 * 60_000;
const DEFAULT_MAX_AGE_MS = 24 * 60 * 60_000;
/** Missed slots with a row of their own; older ones share one. */
const MAX_ROWS = 100;
/** Older slots of cron expressions are counted up to this number, since each has to be computed. */
const MAX_COUNTED = 2_000;
/** Cron expressions with at least five minutes between a full hour and the slot after it. */
const SPREADABLE = /^(?:0 )?(?:0|\*\/(?:[5-9]|[1-5]\d)|0(?:,(?:[5-9]|[1-5]\d))+)(?: \S+){4}$/;

/** What has become due of a job. */
export interface DueSlots {
  /** The job with its next slot. */
  readonly job: JobRecord;
  /** A row for each slot that has passed, oldest first: `claimed` for those to run, `missed` or `skipped` for the others. */
  readonly occurrences: readonly OccurrenceRecord[];
}

/** The schedule of a job. Relative times count from when it was set, so that reading it later gives the same instants. */
export function scheduleOf({ spec, scheduledAtMs }: Pick<JobRecord, "spec" | "scheduledAtMs">, timezone: string): Schedule {
  return parseSchedule(spec.schedule, { nowMs: scheduledAtMs, timezone });
}

/**
 * When a slot is started: jobs that call a model are spread over five minutes at the full hour, unless their schedule is `exact`, or the slot after it may come
 * before that.
 */
export function startOfSlot({ id, spec }: Pick<JobRecord, "id" | "spec">, slotMs: number): number {
  const { schedule, payload } = spec;
  const isSpread =
    schedule.type === "cron" && schedule.exact !== true && SPREADABLE.test(schedule.cron.trim()) && payload.type === "agentTurn";
  return slotMs + (isSpread ? spreadDelayMs(id, slotMs) : 0);
}

/**
 * The slots of a job that are due at `nowMs`, one outcome for each, by the job's rule for missed ones; `undefined` if none is due. Pure. `isBusy`: an earlier
 * occurrence has not ended; `isCatchingUp`: it is one of those that are made up for. A clock that was set back only brings the next slot nearer: slots that have a row keep it.
 */
export function dueSlots(
  job: JobRecord,
  schedule: Schedule,
  { nowMs, isBusy, isCatchingUp = false }: { readonly nowMs: number; readonly isBusy: boolean; readonly isCatchingUp?: boolean },
): DueSlots | undefined {
  const storedMs = nextSlotOf(job, schedule, nowMs);
  // After a change of the agent's zone the schedule may no longer have the stored slot.
  const nextMs = storedMs === undefined ? undefined : nextInstant(schedule, storedMs - 1);
  if (nextMs === undefined || startOfSlot(job, nextMs) > nowMs)
    return nextMs === job.nextSlotMs ? undefined : { job: withNext(job, nextMs), occurrences: [] };
  const { older, newest } = passedSlots(job, schedule, nextMs, nowMs);
  const last = newest.at(-1) ?? nextMs;
  const chosen = new Set(slotsToRun(job, newest, nowMs));
  const isSkipped = isBusy && (job.spec.overlap ?? "skip") === "skip" && !(isCatchingUp && catchUpOf(job).mode === "all");
  const occurrences = newest.map((slotMs): OccurrenceRecord => {
    const base = { jobId: job.id, slotMs, attempt: 1 } as const;
    if (!chosen.has(slotMs)) return { ...base, state: "missed", reason: missedReason(job, slotMs) };
    if (isSkipped) return { ...base, state: "skipped", reason: "overlap: the previous run is still active" };
    return { ...base, state: "claimed" };
  });
  const summary: readonly OccurrenceRecord[] =
    older.count === 0
      ? []
      : [{ jobId: job.id, slotMs: older.lastMs, attempt: 1, state: "missed", reason: older.reason, count: older.count }];
  const decidedMs = Math.max(last, job.decidedMs ?? last);
  const shared = older.count === 0 ? {} : { sharedUntilMs: (newest[0] ?? nextMs) - 1 };
  return { job: { ...withNext(job, nextInstant(schedule, last)), decidedMs, ...shared }, occurrences: [...summary, ...occurrences] };
}

/** The next slot, which is earlier than the stored one after the clock was set back. */
function nextSlotOf({ nextSlotMs, sharedUntilMs = 0 }: JobRecord, schedule: Schedule, nowMs: number): number | undefined {
  if (nextSlotMs === undefined || nextSlotMs <= nowMs) return nextSlotMs;
  const fromNowMs = nextInstant(schedule, Math.max(nowMs, sharedUntilMs));
  return fromNowMs === undefined ? nextSlotMs : Math.min(nextSlotMs, fromNowMs);
}

function withNext({ nextSlotMs: _before, ...job }: JobRecord, nextSlotMs: number | undefined): JobRecord {
  return { ...job, ...withoutUndefined({ nextSlotMs }) };
}

/** Slots that share a row. */
interface OlderSlots {
  readonly count: number;
  readonly lastMs: number;
  readonly reason: string;
}

/** The passed slots: the newest ones, and the number of those before them. The window is found from its end, so that a long absence costs little. */
function passedSlots(
  job: JobRecord,
  schedule: Schedule,
  firstMs: number,
  nowMs: number,
): { readonly older: OlderSlots; readonly newest: readonly number[] } {
  let slots: readonly number[] = [];
  let startMs = nowMs;
  for (let windowMs = 60_000; startMs > firstMs - 1; windowMs *= 2) {
    startMs = Math.max(firstMs - 1, nowMs - windowMs);
    slots = slotsBetween(job, schedule, { afterMs: startMs, untilMs: nowMs });
    if (slots.length > MAX_ROWS) break;
  }
  const newest = slots.slice(-MAX_ROWS);
  return { older: countSlots(schedule, Math.max(firstMs, (job.decidedMs ?? 0) + 1), newest[0] ?? nowMs), newest };
}

/** The slots from `fromMs` on and before `untilMs`. */
function countSlots(schedule: Schedule, fromMs: number, untilMs: number): OlderSlots {
  const reason = "the gateway was down, or the clock was set forward";
  const firstMs = nextInstant(schedule, fromMs - 1) ?? untilMs;
  if (schedule.type === "every") {
    const count = Math.max(0, Math.ceil((untilMs - firstMs) / schedule.everyMs));
    return { count, lastMs: firstMs + (count - 1) * schedule.everyMs, reason };
  }
  let [count, lastMs] = [0, firstMs];
  let slotMs: number | undefined = firstMs;
  for (; slotMs !== undefined && slotMs < untilMs && count < MAX_COUNTED; slotMs = nextInstant(schedule, slotMs))
    [count, lastMs] = [count + 1, slotMs];
  const isOpen = slotMs !== undefined && slotMs < untilMs;
  return { count, lastMs, reason: isOpen ? `${reason}; there were more of them than are counted` : reason };
}

function slotsBetween(
  job: JobRecord,
  schedule: Schedule,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): readonly number[] {
  const slots: number[] = [];
  for (let slotMs = nextInstant(schedule, afterMs); slotMs !== undefined && startOfSlot(job, slotMs) <= untilMs;) {
    slots.push(slotMs);
    slotMs = nextInstant(schedule, slotMs);
  }
  return slots;
}

/** Those of the passed slots that run. At most one, unless the job asks for all of them. */
function slotsToRun(job: JobRecord, slots: readonly number[], nowMs: number): readonly number[] {
  const usable = slots.filter((slotMs) => slotMs >= (job.ignoredBeforeMs ?? 0));
  const recent = usable.filter((slotMs) => nowMs - startOfSlot(job, slotMs) <= maxAgeOf(job));
  return catchUpOf(job).mode === "all" ? recent : recent.slice(-1);
}

function catchUpOf({ spec: { schedule, catchUp } }: JobRecord): JobCatchUp {
  return catchUp ?? { mode: schedule.type === "at" ? "once" : "skip" };
}

/** How late a slot of a job may be run. */
function maxAgeOf(job: JobRecord): number {
  const { mode, maxAge } = catchUpOf(job);
  if (mode === "skip") return ON_TIME_MS;
  return Math.max(maxAge === undefined ? DEFAULT_MAX_AGE_MS : parseDuration(maxAge), ON_TIME_MS);
}

/**
 * A slot that was claimed, but not begun, by a process that has ended: `missed` if it is too late for it now by the job's rule for missed slots; otherwise
 * `undefined`. Those that wait for the run before may be late.
 */
export function missedClaim(job: JobRecord, occurrence: OccurrenceRecord, nowMs: number): OccurrenceRecord | undefined {
  const { state, slotMs, notBeforeMs = 0 } = occurrence;
  const maxAgeMs = job.spec.overlap === "queue" ? Math.max(maxAgeOf(job), DEFAULT_MAX_AGE_MS) : maxAgeOf(job);
  if (state !== "claimed" || nowMs - Math.max(startOfSlot(job, slotMs), notBeforeMs) <= maxAgeMs) return undefined;
  return { ...occurrence, state: "missed", reason: missedReason(job, slotMs), endedAtMs: nowMs };
}

function missedReason({ ignoredBeforeMs = 0 }: JobRecord, slotMs: number): string {
  return slotMs < ignoredBeforeMs ? "the gateway's state was restored from a copy" : "the gateway was down, or the clock was set forward";
}
