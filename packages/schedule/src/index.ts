export { nextInstant, nextInstants } from "./next-instants.ts";
export { parseSchedule } from "./parse-schedule.ts";
export type { AtSchedule, CronSchedule, EverySchedule, Schedule, ScheduleContext, ScheduleInput } from "./schedule.ts";
export { ScheduleError } from "./schedule-error.ts";
export { spreadDelayMs } from "./spread-delay.ts";
export { parseDuration } from "./parse-duration.ts";
