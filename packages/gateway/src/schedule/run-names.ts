import type { JobRecord, OccurrenceRecord } from "@factotum/store";

/** A slot of a job. */
type Slot = Pick<OccurrenceRecord, "jobId" | "slotMs">;

/** The id of a job may have a colon: those of system jobs do. */
const SESSION = /^cron:(.+):(\d+)$/;
const EVENT = /^(?:cron|heartbeat|review):(.+):(\d+):\d+$/;

/** The session of an isolated run. */
export function isolatedSession({ jobId, slotMs }: Slot): string {
  return `cron:${jobId}:${slotMs}`;
}

/** The event id of the input that an attempt begins with. */
export function attemptEvent(
  { system }: Pick<JobRecord, "system">,
  { jobId, slotMs, attempt }: Slot & Pick<OccurrenceRecord, "attempt">,
): string {
  return `${system ?? "cron"}:${jobId}:${slotMs}:${attempt}`;
}

/** The slot of an isolated run by its session; `undefined` for any other session. */
export function slotOfSession(sessionKey: string): Slot | undefined {
  return slotIn(SESSION.exec(sessionKey));
}

/** The slot of an attempt by the event of its input; `undefined` for any other event. */
export function slotOfEvent(eventId: string): Slot | undefined {
  return slotIn(EVENT.exec(eventId));
}

function slotIn(match: RegExpExecArray | null): Slot | undefined {
  const [, jobId, slot] = match ?? [];
  return jobId === undefined || slot === undefined ? undefined : { jobId, slotMs: Number(slot) };
}
