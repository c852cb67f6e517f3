import type { RunFailureCode, RunOutcome } from "@factotum/agent-contract";

/** Stands in a text for when the model can be asked again. */
const LATER = "{later}";

const ADVICE: Readonly<Record<RunFailureCode, string>> = {
  unauthorized: "The model's provider refused the key. Set a valid one in the configuration, then send the message again.",
  billing: "The account at the model's provider is out of credit. Top it up, then send the message again.",
  "rate-limited": "The model's provider asks to slow down. Try again {later}.",
  overloaded: "The model's provider is overloaded. Try again {later}.",
  "context-overflow": "This conversation has grown too long for the model. Send /new to start a fresh one.",
  "invalid-request":
    "The model's provider did not accept this conversation. Say it in other words, or send /new to begin a fresh one; the log has the details.",
  "not-found": "The model was not found at its provider. Check the model's name in the configuration.",
  refused: "The model declined to answer this.",
  filtered: "The content filter of the model's provider stopped this. Say it in other words.",
  timeout: "The model did not answer in time. Try again.",
  unreachable: "The model's provider could not be reached. Check the connection, then try again.",
  truncated: "The model's answer broke off. Try again.",
  server: "The model's provider had an internal error. Try again {later}.",
  budget:
    "What this may use for today is used up, or it pauses after failures. `factotum status` and the log say more; caps are set under spend.",
  aborted: "The work on this message was stopped.",
  loop: "I kept repeating the same step without getting further, so I stopped. Tell me how to go on.",
  "max-turns": "This took more steps than one run may take, so I stopped. Tell me to go on if you want me to.",
  "max-tool-calls": "This took more tool calls than one run may make, so I stopped. Tell me to go on if you want me to.",
  empty: "The model gave no answer, twice. Say it in other words, or choose another model with /model.",
  "output-limit":
    "The model reached the limit of its output before it was done. Ask for it in smaller parts, or lower the level of thinking with /think.",
  "malformed-calls": "The model kept writing tool calls that cannot be read, so I stopped. Try again, or choose another model with /model.",
  internal: "Something went wrong on my side while I worked on this message. The log has the details; please try again.",
};

/** What a person is told when a run failed: what happened and what to do, without a word of the prompt or a secret. */
export function failureText({ code, retryAfterMs }: Pick<FailedRun, "code" | "retryAfterMs">): string {
  return ADVICE[code].replace(LATER, renderDelay(retryAfterMs));
}

type FailedRun = Extract<RunOutcome, { readonly type: "failed" }>;

const MINUTE_MS = 60_000;

/** Rounded up, so that nobody tries too early. */
function renderDelay(delayMs: number = MINUTE_MS): string {
  if (delayMs < MINUTE_MS) return `in ${plural(Math.max(1, Math.ceil(delayMs / 1000)), "second")}`;
  const minutes = Math.ceil(delayMs / MINUTE_MS);
  if (minutes === 1) return "in a minute";
  return minutes < 120 ? `in ${plural(minutes, "minute")}` : `in ${plural(Math.ceil(minutes / 60), "hour")}`;
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
