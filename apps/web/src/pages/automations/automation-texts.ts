import type { JobGrants, JobShape, OccurrenceShape, ScheduleShape } from "@factotum/protocol";
import { formatDuration, formatMoment, formatWeekday } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import type { Tone } from "../../ui/badge.tsx";

type RunState = OccurrenceShape["state"];

const STATES: Readonly<Record<RunState, readonly [string, Tone]>> = {
  claimed: [msg("Waiting"), "neutral"],
  running: [msg("Running"), "neutral"],
  done: [msg("Done"), "good"],
  failed: [msg("Failed"), "bad"],
  skipped: [msg("Left out"), "warning"],
  missed: [msg("Missed"), "warning"],
};

const REASONS: Readonly<Record<string, string>> = {
  "quiet-hours": msg("outside of its hours"),
  "nothing-to-do": msg("there was nothing to do"),
  busy: msg("the conversation was busy"),
  cap: msg("the limit of today was reached"),
  gate: msg("its check found nothing to do"),
  overlap: msg("the run before was not over"),
};

const RECEIPTS: Readonly<Record<NonNullable<OccurrenceShape["receipt"]>, string>> = {
  delivered: msg("delivered"),
  ambiguous: msg("perhaps delivered"),
  undelivered: msg("not delivered"),
};

/** How a run is, in a word, with the colour of its badge. */
export function stateText(state: RunState): { readonly text: string; readonly tone: Tone } {
  const [text, tone] = STATES[state];
  return { text: t(text), tone };
}

/** Why a run is as it is; what the page does not know is the gateway's own text, translated where that is known. */
export function reasonText(reason: string): string {
  const known = REASONS[reason];
  return known === undefined ? gatewayText(reason) : t(known);
}

/** What is known of what a run has sent. */
export function receiptText(receipt: NonNullable<OccurrenceShape["receipt"]>): string {
  return t(RECEIPTS[receipt]);
}

/** How long a run took, if it has ended. */
export function tookText({ startedAtMs, endedAtMs }: OccurrenceShape): string {
  return startedAtMs === undefined || endedAtMs === undefined ? "" : formatDuration(endedAtMs - startedAtMs);
}

const DAILY = /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) (?<day>\*|\d{1,2}) \* (?<weekday>\*|1-5|[0-7])$/;

/** A schedule in a few words. Of cron expressions, the common ones; others are shown as they are. */
export function scheduleText(schedule: ScheduleShape): string {
  const zone = schedule.timezone === undefined ? "" : ` (${schedule.timezone})`;
  if (schedule.type === "every") return t("Every {duration}", { duration: schedule.every });
  if (schedule.type === "at" && DURATION.test(schedule.at)) return t("Once, {duration} after it was made", { duration: schedule.at });
  if (schedule.type === "at") return `${t("Once: {time}", { time: atText(schedule.at) })}${zone}`;
  return `${cronText(schedule.cron)}${zone}`;
}

const DURATION = /^(?:\d+[dhms])+$/;

function atText(at: string): string {
  const isInstant = /(?:Z|[+-]\d\d:\d\d)$/.test(at);
  const timeMs = Date.parse(at);
  return isInstant && !Number.isNaN(timeMs) ? formatMoment(timeMs) : at.replace("T", " ");
}

function cronText(cron: string): string {
  const { minute = "", hour = "", day = "", weekday = "" } = DAILY.exec(cron.trim())?.groups ?? {};
  if (minute === "") return cron;
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day !== "*") return weekday === "*" ? t("On day {day} of each month at {time}", { day, time }) : cron;
  if (weekday === "*") return t("Every day at {time}", { time });
  if (weekday === "1-5") return t("On weekdays at {time}", { time });
  return t("Every {weekday} at {time}", { weekday: formatWeekday(Number(weekday)), time });
}

/** What a job does, in a word. */
export function payloadText({ type }: JobShape["payload"]): string {
  return { agentTurn: t("Task"), message: t("Text"), systemEvent: t("Event"), command: t("Program") }[type];
}

/** What a job is told to do. */
export function payloadContent(payload: JobShape["payload"]): string {
  if (payload.type === "agentTurn") return payload.message;
  return payload.type === "command" ? payload.argv.join(" ") : payload.text;
}

/** Where the outcome of a job goes. */
export function deliveryText(delivery: JobShape["delivery"], { madeBy }: Pick<JobGrants, "madeBy">): string {
  if (delivery?.type === "none") return t("nowhere");
  if (delivery?.type === "webhook") return delivery.url;
  return delivery?.to ?? (madeBy === undefined ? t("your newest chat when it was made") : t("the conversation in which it was made"));
}
