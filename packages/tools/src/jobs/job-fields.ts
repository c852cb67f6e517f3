import type { JobCheck, JobDelivery, JobPayload, JobSchedule, JobSpec, ThinkingLevel } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";

type Given<T> = T | undefined;

/** The parts of a job without nesting, as a model and the command line write them. */
export interface JobFields {
  readonly name?: Given<string>;
  readonly description?: Given<string>;
  readonly enabled?: Given<boolean>;
  readonly at?: Given<string>;
  readonly every?: Given<string>;
  readonly anchor?: Given<string>;
  readonly cron?: Given<string>;
  readonly timezone?: Given<string>;
  readonly exact?: Given<boolean>;
  readonly task?: Given<string>;
  readonly text?: Given<string>;
  readonly event?: Given<string>;
  readonly wake?: Given<"now" | "next-heartbeat">;
  readonly argv?: Given<readonly string[]>;
  readonly cwd?: Given<string>;
  readonly to?: Given<string>;
  readonly webhook?: Given<string>;
  readonly webhookSecret?: Given<string>;
  readonly silent?: Given<boolean>;
  readonly checkArgv?: Given<readonly string[]>;
  readonly checkUrl?: Given<string>;
  readonly checkFile?: Given<string>;
  readonly session?: Given<string>;
  readonly model?: Given<string>;
  readonly thinking?: Given<ThinkingLevel>;
  readonly timeoutSeconds?: Given<number>;
  readonly lightContext?: Given<boolean>;
  readonly tools?: Given<readonly string[]>;
  readonly catchUp?: Given<"skip" | "once" | "all">;
  readonly maxAge?: Given<string>;
  readonly overlap?: Given<"skip" | "queue" | "replace">;
  readonly deleteAfterRun?: Given<boolean>;
}

/** Fields that contradict each other, or lack a part; the message says which. */
export class JobFieldsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JobFieldsError";
  }
}

/** The parts of a job that its fields give. Throws a `JobFieldsError`. */
export function parseJobChange(fields: JobFields): Partial<JobSpec> {
  const { name, description, enabled, model, thinking, timeoutSeconds, lightContext, tools, overlap, deleteAfterRun } = fields;
  return withoutUndefined({
    name,
    description,
    enabled,
    schedule: scheduleOf(fields),
    payload: payloadOf(fields),
    session: sessionOf(fields),
    delivery: deliveryOf(fields),
    check: checkOf(fields),
    model,
    thinking,
    timeoutSeconds,
    lightContext,
    tools,
    catchUp: catchUpOf(fields),
    overlap,
    deleteAfterRun,
  });
}

/** A whole job. Throws a `JobFieldsError` that says what is missing. */
export function parseJob(fields: JobFields): JobSpec {
  const { name, schedule, payload, ...rest } = parseJobChange(fields);
  if (name === undefined) throw new JobFieldsError("A job needs a name.");
  if (schedule === undefined) throw new JobFieldsError("A job needs a time: one of at, every and cron.");
  if (payload === undefined) throw new JobFieldsError("A job needs something to do: one of task, text, event and argv.");
  return { name, schedule, payload, ...rest };
}

function scheduleOf({ at, every, anchor, cron, timezone, exact }: JobFields): JobSchedule | undefined {
  const chosen = onlyOne({ at, every, cron });
  if (exact !== undefined && chosen !== "cron") throw new JobFieldsError("exact belongs to cron.");
  if (anchor !== undefined && chosen !== "every") throw new JobFieldsError("anchor belongs to every.");
  if (at !== undefined) return { type: "at", at, ...withoutUndefined({ timezone }) };
  if (every !== undefined) return { type: "every", every, ...withoutUndefined({ anchor, timezone }) };
  if (cron !== undefined) return { type: "cron", cron, ...withoutUndefined({ timezone, exact }) };
  if (timezone !== undefined) throw new JobFieldsError("timezone belongs to a schedule: give at, every or cron with it.");
  return undefined;
}

function payloadOf({ task, text, event, wake, argv, cwd }: JobFields): JobPayload | undefined {
  onlyOne({ task, text, event, argv });
  if (wake !== undefined && event === undefined) throw new JobFieldsError("wake belongs to event.");
  if (cwd !== undefined && argv === undefined) throw new JobFieldsError("cwd belongs to argv.");
  if (task !== undefined) return { type: "agentTurn", message: task };
  if (text !== undefined) return { type: "message", text };
  if (event !== undefined) return { type: "systemEvent", text: event, ...withoutUndefined({ wake }) };
  return argv === undefined ? undefined : { type: "command", argv, ...withoutUndefined({ cwd }) };
}

function sessionOf({ session }: JobFields): JobSpec["session"] {
  return session === undefined || session === "isolated" || session === "main" ? session : { key: session };
}

function deliveryOf({ to, webhook, webhookSecret, silent }: JobFields): JobDelivery | undefined {
  onlyOne({ to, webhook, silent: silent === true ? true : undefined });
  if (webhookSecret !== undefined && webhook === undefined) throw new JobFieldsError("A secret belongs to a webhook.");
  if (to !== undefined) return { type: "announce", to };
  if (webhook !== undefined) return { type: "webhook", url: webhook, ...withoutUndefined({ secret: webhookSecret }) };
  if (silent === undefined) return undefined;
  return silent ? { type: "none" } : { type: "announce" };
}

function checkOf({ checkArgv, checkUrl, checkFile }: JobFields): JobCheck | undefined {
  onlyOne({ checkArgv, checkUrl, checkFile });
  if (checkArgv !== undefined) return { type: "argv", argv: checkArgv };
  if (checkUrl !== undefined) return { type: "url", url: checkUrl };
  return checkFile === undefined ? undefined : { type: "fileChanged", path: checkFile };
}

function catchUpOf({ catchUp, maxAge }: JobFields): JobSpec["catchUp"] {
  if (catchUp === undefined && maxAge !== undefined) throw new JobFieldsError("maxAge belongs to catchUp.");
  return catchUp === undefined ? undefined : { mode: catchUp, ...withoutUndefined({ maxAge }) };
}

/** The name of the field that is given, if one is. */
function onlyOne(fields: Readonly<Record<string, unknown>>): string | undefined {
  const given = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (given.length > 1) throw new JobFieldsError(`Give one of ${Object.keys(fields).join(", ")}, not ${given.join(" and ")}.`);
  return given[0];
}
