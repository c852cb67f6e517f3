import type { JobShape, ScheduleShape } from "@factotum/protocol";

/** Expressions of the full hour with at least five minutes until their next time, as the gateway has them. */
const FULL_HOUR = /^(?:0 )?(?:0|\*\/(?:[5-9]|[1-5]\d)|0(?:,(?:[5-9]|[1-5]\d))+)(?: \S+){4}$/;

/** True for a job that asks a model at the full hour: the gateway begins it up to five minutes later, so that not all begin at once. */
export function isSpread(schedule: ScheduleShape | undefined, does: JobShape["payload"]["type"]): boolean {
  return schedule?.type === "cron" && schedule.exact !== true && does === "agentTurn" && FULL_HOUR.test(schedule.cron.trim());
}
