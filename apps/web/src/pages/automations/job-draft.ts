import type { JobShape, JobSummary, OptionalJobPart, ScheduleShape } from "@factotum/protocol";

/** A job as it is in the fields of the editor: every part a text. */
export interface JobDraft {
  readonly name: string;
  readonly agentId: string;
  readonly when: ScheduleShape["type"];
  readonly at: string;
  readonly every: string;
  readonly cron: string;
  readonly timezone: string;
  readonly exact: boolean;
  readonly does: JobShape["payload"]["type"];
  readonly text: string;
  /** One argument a line; the first is the program. */
  readonly argv: string;
  readonly wake: "now" | "next-heartbeat";
  readonly report: "announce" | "address" | "webhook" | "none";
  readonly to: string;
  readonly url: string;
  readonly secret: string;
  readonly session: "isolated" | "main" | "key";
  readonly sessionKey: string;
  readonly model: string;
  readonly thinking: string;
  /** Names with spaces or commas between them. */
  readonly tools: string;
  readonly timeoutSeconds: string;
  readonly lightContext: boolean;
  readonly catchUp: "" | "skip" | "once" | "all";
  readonly overlap: "" | "skip" | "queue" | "replace";
  readonly deleteAfterRun: boolean;
  readonly description: string;
  /** What decides before each run whether there is anything to do; empty: nothing. */
  readonly check: "" | NonNullable<JobShape["check"]>["type"];
  /** A path, an address, or a program with one argument a line. */
  readonly checked: string;
}

const NEW: JobDraft = {
  name: "",
  agentId: "",
  when: "cron",
  at: "",
  every: "1h",
  cron: "0 8 * * *",
  timezone: "",
  exact: false,
  does: "agentTurn",
  text: "",
  argv: "",
  wake: "next-heartbeat",
  report: "announce",
  to: "",
  url: "",
  secret: "",
  session: "isolated",
  sessionKey: "",
  model: "",
  thinking: "",
  tools: "",
  timeoutSeconds: "",
  lightContext: false,
  catchUp: "",
  overlap: "",
  deleteAfterRun: false,
  description: "",
  check: "",
  checked: "",
};

/** The fields of a job, or those of a new one. */
export function draftOf(job?: Pick<JobSummary, "spec" | "agentId">): JobDraft {
  if (job === undefined) return NEW;
  const { spec, agentId } = job;
  const { schedule, payload, session = "isolated" } = spec;
  return {
    ...NEW,
    ...deliveryFields(spec.delivery),
    name: spec.name,
    agentId,
    when: schedule.type,
    ...(schedule.type === "at" && { at: schedule.at }),
    ...(schedule.type === "every" && { every: schedule.every }),
    ...(schedule.type === "cron" && { cron: schedule.cron, exact: schedule.exact === true }),
    timezone: schedule.timezone ?? "",
    does: payload.type,
    text: payload.type === "agentTurn" ? payload.message : payload.type === "command" ? "" : payload.text,
    argv: payload.type === "command" ? payload.argv.join("\n") : "",
    wake: payload.type === "systemEvent" ? (payload.wake ?? NEW.wake) : NEW.wake,
    session: typeof session === "string" ? session : "key",
    sessionKey: typeof session === "string" ? "" : session.key,
    model: spec.model ?? "",
    thinking: spec.thinking ?? "",
    tools: (spec.tools ?? []).join(" "),
    timeoutSeconds: spec.timeoutSeconds === undefined ? "" : String(spec.timeoutSeconds),
    lightContext: spec.lightContext === true,
    catchUp: spec.catchUp?.mode ?? "",
    overlap: spec.overlap ?? "",
    deleteAfterRun: spec.deleteAfterRun === true,
    description: spec.description ?? "",
    ...checkFields(spec.check),
  };
}

function checkFields(check: JobShape["check"]): Partial<JobDraft> {
  switch (check?.type) {
    case undefined:
      return {};
    case "argv":
      return { check: "argv", checked: check.argv.join("\n") };
    case "url":
      return { check: "url", checked: check.url };
    case "fileChanged":
      return { check: "fileChanged", checked: check.path };
  }
}

function deliveryFields(delivery: JobShape["delivery"]): Partial<JobDraft> {
  if (delivery?.type === "none") return { report: "none" };
  if (delivery?.type === "webhook") return { report: "webhook", url: delivery.url };
  return delivery?.to === undefined ? {} : { report: "address", to: delivery.to };
}

/** The schedule that the fields say; `undefined` while its text is missing. */
export function scheduleOf({ when, at, every, cron, timezone, exact }: JobDraft): ScheduleShape | undefined {
  const zone = timezone.trim() === "" ? {} : { timezone: timezone.trim() };
  const text = { at, every, cron }[when].trim();
  if (text === "") return undefined;
  if (when === "at") return { type: "at", at: text, ...zone };
  if (when === "every") return { type: "every", every: text, ...zone };
  return { type: "cron", cron: text, ...zone, ...(exact && { exact }) };
}

/** The job that the fields say. `before` has the parts without fields, which stay. */
export function specOf(draft: JobDraft, before?: JobShape): JobShape {
  const isTask = draft.does === "agentTurn";
  const hasOwnSession = isTask && draft.session === "isolated";
  const tools = draft.tools.split(/[\s,]+/).filter((name) => name !== "");
  const seconds = Number(draft.timeoutSeconds);
  const { enabled, schedule } = before ?? {};
  const written = scheduleOf(draft) ?? { type: "cron", cron: "" };
  // Its anchor has no field.
  const anchor = schedule?.type === "every" && written.type === "every" && schedule.anchor !== undefined ? { anchor: schedule.anchor } : {};
  return {
    name: draft.name.trim(),
    schedule: { ...written, ...anchor },
    payload: payloadOf(draft, before),
    ...deliveryOf(draft),
    ...sessionOf(draft),
    ...(draft.description.trim() !== "" && { description: draft.description.trim() }),
    ...(hasOwnSession && draft.model.trim() !== "" && { model: draft.model.trim() }),
    ...(isTask && draft.thinking !== "" && { thinking: draft.thinking as NonNullable<JobShape["thinking"]> }),
    ...(hasOwnSession && tools.length > 0 && { tools }),
    ...(hasOwnSession && draft.lightContext && { lightContext: true }),
    ...(draft.timeoutSeconds.trim() !== "" && !Number.isNaN(seconds) && { timeoutSeconds: seconds }),
    ...(draft.catchUp !== "" && { catchUp: { ...before?.catchUp, mode: draft.catchUp } }),
    ...(draft.overlap !== "" && { overlap: draft.overlap }),
    ...(draft.deleteAfterRun && { deleteAfterRun: true }),
    ...checkOf(draft),
    ...(enabled !== undefined && { enabled }),
  };
}

function payloadOf({ does, text, argv, wake }: JobDraft, before: JobShape | undefined): JobShape["payload"] {
  if (does === "agentTurn") return { type: "agentTurn", message: text };
  if (does === "message") return { type: "message", text };
  if (does === "systemEvent") return { type: "systemEvent", text, ...(wake === "now" && { wake }) };
  const cwd = before?.payload.type === "command" && before.payload.cwd !== undefined ? { cwd: before.payload.cwd } : {};
  return { type: "command", argv: wordsOf(argv), ...cwd };
}

function wordsOf(lines: string): readonly string[] {
  return lines.split("\n").filter((word) => word !== "");
}

function checkOf({ check, checked }: JobDraft): Pick<JobShape, "check"> {
  if (check === "") return {};
  if (check === "argv") return { check: { type: "argv", argv: wordsOf(checked) } };
  return { check: check === "url" ? { type: "url", url: checked.trim() } : { type: "fileChanged", path: checked.trim() } };
}

function deliveryOf({ report, to, url, secret }: JobDraft): Pick<JobShape, "delivery"> {
  if (report === "none") return { delivery: { type: "none" } };
  if (report === "webhook") return { delivery: { type: "webhook", url: url.trim(), ...(secret !== "" && { secret }) } };
  return report === "address" ? { delivery: { type: "announce", to: to.trim() } } : {};
}

function sessionOf({ does, session, sessionKey }: JobDraft): Pick<JobShape, "session"> {
  if ((does !== "agentTurn" && does !== "systemEvent") || session === "isolated") return {};
  return { session: session === "main" ? "main" : { key: sessionKey.trim() } };
}

const IS_OPTIONAL: Readonly<Record<OptionalJobPart, true>> = {
  description: true,
  session: true,
  delivery: true,
  check: true,
  model: true,
  thinking: true,
  timeoutSeconds: true,
  lightContext: true,
  tools: true,
  catchUp: true,
  overlap: true,
  deleteAfterRun: true,
};
const OPTIONAL_PARTS = Object.keys(IS_OPTIONAL) as readonly OptionalJobPart[];

/** What a change of a job sends: the parts that differ, and those that take their default. */
export function changeOf(
  before: JobShape,
  after: JobShape,
): { readonly change: Partial<JobShape>; readonly unset: readonly OptionalJobPart[] } {
  const differs = (part: keyof JobShape): boolean => JSON.stringify(inOrder(before[part])) !== JSON.stringify(inOrder(after[part]));
  const change = Object.fromEntries(Object.entries(after).filter(([part]) => differs(part as keyof JobShape))) as Partial<JobShape>;
  return { change, unset: OPTIONAL_PARTS.filter((part) => before[part] !== undefined && after[part] === undefined) };
}

/** The same value with its keys in one order, without what says the default. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
