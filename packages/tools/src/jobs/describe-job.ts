import type { JobReceipt, JobOccurrence, JobSchedule, JobView } from "@factotum/agent-contract";

const MAX_TEXT_CHARS = 300;
const RECEIPTS = {
  delivered: "delivered",
  ambiguous: "perhaps not delivered: it is not known whether it arrived",
  undelivered: "not delivered",
} as const satisfies Readonly<Record<JobReceipt, string>>;

/** A job in one line: id, name, schedule, next and last run. Times are in `timeZone`. */
export function describeJob({ id, spec, nextAtMs, last, failures, disabledBecause }: JobView, timeZone: string): string {
  const state =
    disabledBecause !== undefined
      ? `disabled: ${disabledBecause}`
      : spec.enabled === false
        ? "disabled"
        : nextAtMs === undefined
          ? "will not run again"
          : `next ${formatTime(nextAtMs, timeZone)}`;
  const facts = [
    describeSchedule(spec.schedule),
    state,
    ...(last === undefined ? [] : [`last ${describeOutcome(last)}`]),
    ...(failures === 0 ? [] : [failures === 1 ? "1 failure" : `${failures} failures in a row`]),
  ];
  return `${id} ${JSON.stringify(spec.name)}: ${facts.join("; ")}`;
}

/** An outcome in one line. */
export function describeRun(run: JobOccurrence, timeZone: string): string {
  const { slotMs, isManual, attempt, startedAtMs, endedAtMs, text, count, receipt } = run;
  const facts = [
    ...(isManual === true ? ["asked for"] : []),
    ...(receipt === undefined ? [] : [RECEIPTS[receipt]]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(count === undefined ? [] : [`${count} times until then`]),
    ...(startedAtMs === undefined || endedAtMs === undefined ? [] : [`${Math.round((endedAtMs - startedAtMs) / 100) / 10} s`]),
  ];
  const said = text === undefined ? "" : `\n  ${JSON.stringify(text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text)}`;
  return `${formatTime(slotMs, timeZone)} ${describeOutcome(run)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}${said}`;
}

/** A schedule in a few words. */
function describeSchedule(schedule: JobSchedule): string {
  const zone = schedule.timezone === undefined ? "" : ` ${schedule.timezone}`;
  switch (schedule.type) {
    case "at":
      return `at ${schedule.at}${zone}`;
    case "every":
      return `every ${schedule.every}`;
    case "cron":
      return `cron ${schedule.cron}${zone}`;
  }
}

/** An instant in a zone, such as `Mon 2026-06-15 14:31 Europe/Berlin`. */
export function formatTime(atMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(atMs);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("weekday")} ${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")} ${timeZone}`;
}

function describeOutcome({ state, reason }: JobOccurrence): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}
