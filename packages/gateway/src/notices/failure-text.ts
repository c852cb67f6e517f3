import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { RunFailureCode, RunOutcome } from "@factotum/agent-contract";

/** A run that failed. */
export type FailedRun = Extract<RunOutcome, { readonly type: "failed" }>;

/** Placeholder for the time when the model can be asked again. */
const LATER = "{0}";

/** What happened, for guests, and what to do next, for everyone. */
interface Advice {
  readonly what: string;
  readonly next: string;
}

const RESEND = "Then send the message again.";

const ADVICE: Readonly<Record<RunFailureCode, Advice>> = {
  unauthorized: { what: "The key for the model's provider is missing or not valid. A valid one must be set.", next: RESEND },
  billing: { what: "The account at the model's provider is out of credit. It must be topped up.", next: RESEND },
  "rate-limited": { what: "The model's provider asks to slow down.", next: "Try again {0}." },
  overloaded: { what: "The model's provider is overloaded.", next: "Try again {0}." },
  "context-overflow": {
    what: "This conversation has grown too long for the model.",
    next: "Send /new to start a fresh one.",
  },
  "invalid-request": {
    what: "The model's provider did not accept this request.",
    next: "If a setting is the cause, it must be corrected in the configuration; if the conversation is, /new begins a fresh one. The log has the details.",
  },
  "not-found": { what: "The model was not found at its provider. Its name must be corrected in the configuration.", next: RESEND },
  refused: { what: "The model declined to answer this.", next: "Say it in other words." },
  filtered: { what: "The content filter of the model's provider stopped this.", next: "Say it in other words." },
  timeout: { what: "The model did not answer in time.", next: "Try again." },
  unreachable: { what: "The model's provider could not be reached.", next: "Try again {0}." },
  truncated: { what: "The model's answer broke off.", next: "Try again." },
  server: { what: "The model's provider had an internal error.", next: "Try again {0}." },
  budget: {
    what: "What this may use for today is used up, or it pauses after failures.",
    next: "A higher cap under spend in the configuration lets it resume sooner.",
  },
  denied: { what: "A rule of this installation does not let this go to a model.", next: "" },
  aborted: { what: "The work on this message was stopped.", next: "" },
  loop: { what: "I kept repeating the same step without getting further, so I stopped.", next: "Tell me how to go on." },
  "max-turns": { what: "This took more steps than one run may take, so I stopped.", next: "Tell me to go on if you want me to." },
  "max-tool-calls": { what: "This took more tool calls than one run may make, so I stopped.", next: "Tell me to go on if you want me to." },
  empty: { what: "The model gave no answer, twice.", next: "Say it in other words, or choose another model with /model." },
  "output-limit": {
    what: "The model's answer reached the limit of its length before it was done.",
    next: "Ask for it in smaller parts, or lower the level of thinking with /think.",
  },
  "malformed-calls": {
    what: "The model kept writing tool calls that cannot be read, so I stopped.",
    next: "Try again, or choose another model with /model.",
  },
  internal: { what: "Something went wrong on my side while I worked on this message.", next: "The log has the details; please try again." },
};

/** The text of a failure for guests: what happened and what to do, without details of the installation. */
export function failureText({ code, retryAfterMs }: Pick<FailedRun, "code" | "retryAfterMs">): string {
  const { what, next } = ADVICE[code];
  return join(what, next, retryAfterMs);
}

/** Failures whose reason explains itself, because the model's client has worded it for people. */
const SELF_EXPLAINING: ReadonlySet<RunFailureCode> = new Set<RunFailureCode>([
  "unauthorized",
  "billing",
  "rate-limited",
  "overloaded",
  "not-found",
  "refused",
  "filtered",
  "unreachable",
  "truncated",
  "server",
  "budget",
  "denied",
]);

/** A chat message, not a report: the log has the rest. */
const MAX_REASON_CHARS = 1_500;

/**
 * The text of a failure for the owner: the reason itself, which names key, provider, model, setting and status, and what to do. `hideSecrets` replaces every
 * known secret.
 */
export function ownerFailureText({ code, message, retryAfterMs }: FailedRun, hideSecrets: (text: string) => string): string {
  const reason = hideSecrets(message).trim();
  if (reason === "" || code === "aborted") return failureText({ code, ...withoutUndefined({ retryAfterMs }) });
  const cut = reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS).toWellFormed()}…` : reason;
  // Names of providers and tools are kept as written.
  const begun = /^(?:the|it)\b/.test(cut) ? `${cut.charAt(0).toUpperCase()}${cut.slice(1)}` : cut;
  const sentence = `${begun}${/[.!?…]$/.test(begun) ? "" : "."}`;
  const { what, next: advice } = ADVICE[code];
  // Of what is used up, only the caps of a day are known to end; pauses and budgets of tasks say themselves what ends them.
  const next = code === "budget" && retryAfterMs === undefined ? "" : advice;
  return join(SELF_EXPLAINING.has(code) ? sentence : `${what} ${sentence}`, next, retryAfterMs);
}

function join(what: string, next: string, retryAfterMs: number | undefined): string {
  return `${what} ${next.replace(LATER, renderDelay(retryAfterMs))}`.trimEnd();
}

const MINUTE_MS = 60_000;

/** Rounded up, so that nobody retries too early. */
function renderDelay(delayMs: number = MINUTE_MS): string {
  if (delayMs < MINUTE_MS) return `in ${plural(Math.max(1, Math.ceil(delayMs / 1000)), "second")}`;
  const minutes = Math.ceil(delayMs / MINUTE_MS);
  if (minutes === 1) return "in a minute";
  return minutes < 120 ? `in ${plural(minutes, "minute")}` : `in ${plural(Math.ceil(minutes / 60), "hour")}`;
}
