import { createCronTimes } from "./cron-times.ts";
import { checkTimezone, parseInstant } from "./local-time.ts";
import { nextInstant } from "./next-instants.ts";
import { isDuration, parseDuration } from "./parse-duration.ts";
import type { CronSchedule, Schedule, ScheduleContext, ScheduleInput } from "./schedule.ts";
import { ScheduleError } from "./schedule-error.ts";

/**
 * Reads a written schedule. Relative times count from `nowMs`; times without an offset are in the schedule's zone, or in the agent's. Throws a `ScheduleError`
 * for text that is no schedule, and for a schedule with no instant after `nowMs`.
 */
export function parseSchedule(input: ScheduleInput, context: ScheduleContext): Schedule {
  const schedule = parseInput(input, context);
  if (nextInstant(schedule, context.nowMs) === undefined) throw new ScheduleError(`This schedule never falls due: ${renderInput(input)}.`);
  return schedule;
}

function parseInput(input: ScheduleInput, { nowMs, timezone }: ScheduleContext): Schedule {
  const zone = checkTimezone(input.timezone ?? timezone);
  switch (input.type) {
    case "at":
      return { type: "at", atMs: isDuration(input.at) ? nowMs + parseDuration(input.at) : parseInstant(input.at, zone) };
    case "every":
      return {
        type: "every",
        everyMs: parseDuration(input.every),
        anchorMs: input.anchor === undefined ? nowMs : parseInstant(input.anchor, zone),
      };
    case "cron":
      return parseCron(input.cron, zone);
  }
}

function parseCron(text: string, timezone: string): CronSchedule {
  const expression = text.trim().replaceAll(/\s+/g, " ");
  const fields = expression.split(" ").length;
  if (fields !== 5 && fields !== 6) {
    throw new ScheduleError(
      `"${text}" has ${fields} fields. A cron expression has five, or six with seconds in front, like "0 9 * * 1-5".`,
    );
  }
  try {
    return { type: "cron", next: createCronTimes(expression, timezone) };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^\w+: /, "");
    throw new ScheduleError(`"${text}" is no cron expression: ${reason}`, { cause: error });
  }
}

function renderInput(input: ScheduleInput): string {
  switch (input.type) {
    case "at":
      return `${input.at} is past`;
    case "every":
      return `every ${input.every}`;
    case "cron":
      return `no date matches "${input.cron}"`;
  }
}
