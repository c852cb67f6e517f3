import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import { nextInstants, parseDuration, parseSchedule, ScheduleError } from "@factotum/schedule";
import type { ScheduleContext } from "@factotum/schedule";
import { MAX_EVENT_CHARS } from "./system-events.ts";

const MAX_NAME_CHARS = 100;
const MAX_TEXT_CHARS = 16_000;
const MAX_SECONDS = 24 * 60 * 60;
/** Minimum between two slots of a job of others than the owner. */
const GUEST_INTERVAL_MS = 15 * 60_000;
/** As many as a cron expression has in an hour, and some more. */
const COMPARED_INSTANTS = 100;

/** What is wrong with a job, as a sentence that says what to write instead; `undefined` if nothing is. Others than the owner have fewer choices. */
export function checkSpec(spec: JobSpec, { isOwner, ...context }: ScheduleContext & { readonly isOwner: boolean }): string | undefined {
  return (
    checkSchedule(spec, context) ??
    checkTexts(spec) ??
    checkSession(spec) ??
    (isOwner ? undefined : (checkGuest(spec) ?? checkInterval(spec, context)))
  );
}

function checkSchedule({ schedule, catchUp, timeoutSeconds }: JobSpec, context: ScheduleContext): string | undefined {
  try {
    parseSchedule(schedule, context);
    if (catchUp?.maxAge !== undefined) parseDuration(catchUp.maxAge);
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
  if (timeoutSeconds !== undefined && !(timeoutSeconds >= 1 && timeoutSeconds <= MAX_SECONDS))
    return `timeoutSeconds is between 1 and ${MAX_SECONDS}.`;
  return undefined;
}

function checkTexts({ name, payload, check, delivery }: JobSpec): string | undefined {
  if (name.trim() === "" || name.length > MAX_NAME_CHARS) return `A job needs a name of at most ${MAX_NAME_CHARS} characters.`;
  const text = payload.type === "agentTurn" ? payload.message : payload.type === "command" ? undefined : payload.text;
  const maxChars = payload.type === "systemEvent" ? MAX_EVENT_CHARS : MAX_TEXT_CHARS;
  if (text !== undefined && (text.trim() === "" || text.length > maxChars))
    return `The text of ${payload.type === "systemEvent" ? "an event" : "a job"} has 1 to ${maxChars} characters.`;
  const programs = [...(payload.type === "command" ? [payload.argv] : []), ...(check?.type === "argv" ? [check.argv] : [])];
  if (programs.some(([file]) => file === undefined || file === ""))
    return "argv needs a program: its path or name, and then its arguments, each a text of its own.";
  if (payload.type === "command" && payload.cwd !== undefined && !path.isAbsolute(payload.cwd)) return "cwd is an absolute path.";
  const urls = [...(check?.type === "url" ? [check.url] : []), ...(delivery?.type === "webhook" ? [delivery.url] : [])];
  const wrong = urls.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ""));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is no http or https address.`;
}

/** A session that others use, too, has one prompt, one model and one set of tools. */
function checkSession({ session = "isolated", payload, model, lightContext, tools }: JobSpec): string | undefined {
  if (session === "isolated") return undefined;
  if (payload.type !== "agentTurn" && payload.type !== "systemEvent") return "Only a task and an event have a session.";
  const isOwn = model !== undefined || lightContext === true || tools !== undefined;
  return isOwn ? "model, lightContext and tools are for isolated runs: the main session and sessions by key keep theirs." : undefined;
}

/** Turns of others cost the owner's tokens. */
function checkInterval({ schedule: asked }: JobSpec, context: ScheduleContext): string | undefined {
  const instants = nextInstants(parseSchedule(asked, context), context.nowMs, COMPARED_INSTANTS);
  const isTooOften = instants.some((atMs, index) => atMs - (instants[index - 1] ?? -Infinity) < GUEST_INTERVAL_MS);
  return isTooOften ? `Only jobs of the owner may have intervals shorter than ${GUEST_INTERVAL_MS / 60_000} minutes.` : undefined;
}

function checkGuest({ payload, check, delivery, session = "isolated" }: JobSpec): string | undefined {
  if (payload.type === "systemEvent") return "System events are the owner's.";
  if (payload.type === "command" || check !== undefined) return "Commands and checks are the owner's.";
  if (session !== "isolated") return "The session of a job is the owner's to choose.";
  const isHere = delivery === undefined || (delivery.type === "announce" && delivery.to === undefined);
  return isHere ? undefined : "A job reports to the conversation in which it is made; another address is the owner's.";
}
