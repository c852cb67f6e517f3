import type { JsonValue, Logger, Question, Questioner } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";
import { parseForm, type FieldValue, type FormField } from "./form-fields.ts";
import type { RunningCall, RunningCalls } from "./running-calls.ts";

/** The answer to a server that wants something from the user. */
export type ElicitAnswer =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  /** The user refused, or a form that may not be shown. */
  | { readonly action: "decline" }
  /** No answer was given, or no one could be asked. */
  | { readonly action: "cancel" };

/** What asking needs. */
export interface ElicitOptions {
  /** The server's name in the configuration. */
  readonly server: string;
  /** Absent: no one can be asked. */
  readonly questioner: Questioner | undefined;
  readonly calls: RunningCalls;
  readonly logger: Logger;
  readonly hideSecrets: (text: string) => string;
}

const MAX_MESSAGE_CHARS = 1_000;
const MAX_TRIES = 3;
/** What fits on buttons. */
const MAX_OPTIONS = 6;
const MAX_OPTION_CHARS = 60;
const SKIP = "-";
const STOP = /^\/?cancel$/i;

/**
 * Asks the person whose message a call works on for what the server wants: first whether to answer at all, then one field after the other. Answers are checked
 * against the form. Servers may ask in calls alone, five times in one, and not again after a no. Never rejects, apart from an end of the gateway.
 */
export async function elicit(
  params: JsonValue,
  { signal }: { readonly signal: AbortSignal },
  options: ElicitOptions,
): Promise<ElicitAnswer> {
  const { server, questioner, calls, logger } = options;
  const call = calls.asking();
  if (questioner === undefined || call === undefined || !isObject(params)) {
    logger.info("An MCP server asked for input, and there was no one to ask", { server });
    return { action: "cancel" };
  }
  const form = parseForm(params["requestedSchema"]);
  if (form.type === "refused") {
    logger.warn("An MCP server asked for input, and was refused", { server, reason: form.reason });
    return { action: "decline" };
  }
  if (!call.forms.take()) {
    logger.warn("An MCP server asked for input again, and was refused", { server });
    return { action: "decline" };
  }
  const answer = await askForm(params["message"], form.fields, { ...options, call, questioner, signal });
  if (answer.action !== "accept") call.forms.refuse();
  return answer;
}

async function askForm(
  message: JsonValue | undefined,
  fields: readonly FormField[],
  options: ElicitOptions & { readonly call: RunningCall; readonly questioner: Questioner; readonly signal: AbortSignal },
): Promise<ElicitAnswer> {
  const { calls, call } = options;
  using _paused = calls.pause();
  const ask = async (question: Question): Promise<string | undefined> => askOne(question, call, options);
  const consent = await ask(consentQuestion(message, fields, options));
  if (consent === undefined) return { action: "cancel" };
  if (!/^(answer|accept|yes|ok)$/i.test(consent.trim())) return { action: "decline" };
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const field of fields) {
    const given = await askField(field, ask);
    if (given === undefined) return { action: "cancel" };
    if (given.value !== undefined) content[field.name] = mutable(given.value);
  }
  return { action: "accept", content };
}

async function askOne(
  { question, options }: Question,
  call: RunningCall,
  {
    questioner,
    signal,
    hideSecrets,
  }: Pick<ElicitOptions, "hideSecrets"> & { readonly questioner: Questioner; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { run } = call.facts;
  // Every part of a form is the server's words.
  const shown: Question = { question: hideSecrets(question), options: options.map(hideSecrets) };
  const outcome = await questioner.ask([shown], { callId: call.nextQuestionId(), run, signal: AbortSignal.any([signal, call.ended]) });
  return outcome.type === "answered" ? outcome.answers[0] : undefined;
}

function consentQuestion(message: JsonValue | undefined, fields: readonly FormField[], { server }: ElicitOptions): Question {
  const said = typeof message === "string" ? message.trim().slice(0, MAX_MESSAGE_CHARS).toWellFormed() : "";
  const wanted = fields.map(({ label, isRequired }) => (isRequired ? label : `${label} (optional)`)).join(", ");
  const lines = [
    `The MCP server ${server} asks you, in its own words:`,
    ...said.split("\n").map((line) => `> ${line}`),
    ...(fields.length === 0 ? [] : [`It wants: ${wanted}. What you answer goes to the server.`]),
  ];
  return { question: lines.join("\n"), options: [fields.length === 0 ? "Accept" : "Answer", "Decline"] };
}

/** The value of a field, which is absent in one that is left out; `undefined` if the person gives up, or gives no answer that fits. */
async function askField(
  field: FormField,
  ask: (question: Question) => Promise<string | undefined>,
): Promise<{ readonly value: FieldValue | undefined } | undefined> {
  let problem = "";
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const answer = (await ask(fieldQuestion(field, problem)))?.trim();
    if (answer === undefined || STOP.test(answer)) return undefined;
    if (answer === SKIP && !field.isRequired) return { value: field.fallback };
    const checked = field.check(answer);
    if (checked.type === "value") return { value: checked.value };
    problem = `${checked.message} `;
  }
  return undefined;
}

function fieldQuestion({ label, description, hint, choices = [], isRequired, fallback }: FormField, problem: string): Question {
  const fitsButtons = choices.length <= MAX_OPTIONS && choices.every((choice) => choice.length <= MAX_OPTION_CHARS);
  const listed = choices.length > 0 && !fitsButtons ? `One of: ${choices.join(", ")}.` : "";
  const skip = fallback === undefined ? `Answer ${SKIP} to leave it out.` : `Answer ${SKIP} for ${JSON.stringify(fallback)}.`;
  const about = description === "" ? label : `${label}: ${description}`;
  const notes = [hint, listed, isRequired ? "" : skip, "Answer cancel to stop."].filter((note) => note !== "");
  return { question: `${problem}${about}\n${notes.join(" ")}`, options: fitsButtons ? choices : [] };
}

function mutable(value: FieldValue): string | number | boolean | string[] {
  return typeof value === "object" ? [...value] : value;
}
