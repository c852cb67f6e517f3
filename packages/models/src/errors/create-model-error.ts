import { ModelError, type ModelErrorCode, type Retry, withoutUndefined } from "@factotum/agent-contract";

/** Facts that every error of one call needs. */
export interface ErrorContext {
  readonly provider: string;
  readonly model: string;
  /** Shown to users; never contains a credential. */
  readonly baseUrl: string;
  /** Where the key of the call is configured: a setting, or an environment variable. Absent for a call without a key. */
  readonly keyPlace?: string;
  /** Removed from every text of the provider. */
  readonly secrets: readonly string[];
}

/** The details of one failure. */
export interface FailureFacts {
  /** The provider's own text. */
  readonly said?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** True if the same request must not be sent again, regardless of the default for its code. */
  readonly final?: true;
  readonly cause?: unknown;
}

const LONGEST_QUOTE = 300;
const NEVER: Retry = { type: "never" };
const BACKOFF: Retry = { type: "backoff" };

const RETRY: Readonly<Record<ModelErrorCode, Retry>> = {
  unauthorized: NEVER,
  billing: NEVER,
  "rate-limited": BACKOFF,
  overloaded: BACKOFF,
  "context-overflow": NEVER,
  "invalid-request": NEVER,
  "not-found": NEVER,
  refused: NEVER,
  filtered: NEVER,
  timeout: BACKOFF,
  unreachable: BACKOFF,
  truncated: BACKOFF,
  "output-limit": NEVER,
  server: BACKOFF,
  budget: NEVER,
  denied: NEVER,
  aborted: NEVER,
};

/** The typed error of a failure: what happened, in the provider's text if there is one, and what to do. */
export function createModelError(code: ModelErrorCode, facts: FailureFacts, context: ErrorContext): ModelError {
  const said = facts.said === undefined ? undefined : quotable(facts.said, context.secrets);
  const status = facts.status === undefined ? "" : ` (${facts.status})`;
  const message = `${describe(code, context, status)}${said === undefined ? "." : `: ${said.replace(/\.$/, "")}.`}${advise(code, context)}`;
  const retry = facts.final === true ? NEVER : RETRY[code];
  const canWait = retry.type !== "never" && facts.retryAfterMs !== undefined;
  return new ModelError(code, message, {
    retry: canWait ? { type: "after", delayMs: facts.retryAfterMs } : retry,
    ...withoutUndefined({ status: facts.status }),
    cause: facts.cause ?? new Error(said ?? code),
  });
}

/** An answer that was stopped at a limit of ours: a retry would produce the same again. The provider did not fail. */
export function createLengthError(maxChars: number, context: ErrorContext): ModelError {
  const said = `it was stopped at ${maxChars.toLocaleString("en")} characters, the most that is taken of one answer`;
  return createModelError("output-limit", { said }, context);
}

/** A call that we ended because its server sent more than any answer needs. A retry would produce the same flood. */
export function createOversizeError(what: string, context: ErrorContext): ModelError {
  return createModelError("server", { said: `it sent ${what}, so the call was ended`, final: true }, context);
}

function describe(code: ModelErrorCode, { provider, model, keyPlace }: ErrorContext, status: string): string {
  const name = `${provider}/${model}`;
  switch (code) {
    case "unauthorized":
      return keyPlace === undefined
        ? `${provider} refused a request to ${model} without a key${status}`
        : `${provider} refused the key in ${keyPlace} for ${model}${status}`;
    case "billing":
      return `The account at ${provider}${keyPlace === undefined ? "" : ` of the key in ${keyPlace}`} has no credit left or is over its plan${status}`;
    case "rate-limited":
      return `${name} wants fewer requests${status}`;
    case "overloaded":
      return `${name} is overloaded${status}`;
    case "context-overflow":
      return `The conversation does not fit into the window of ${name}${status}`;
    case "invalid-request":
      return `${name} does not take this request${status}`;
    case "not-found":
      return `${provider} has no model "${model}" at this address${status}`;
    case "refused":
      return `${name} declined to answer${status}`;
    case "filtered":
      return `The content filter of ${provider} stopped ${name}${status}`;
    case "timeout":
      return `${name} did not answer in time${status}`;
    case "unreachable":
      return `${name} cannot be reached${status}`;
    case "truncated":
      return `The answer of ${name} broke off${status}`;
    case "output-limit":
      return `The answer of ${name} grew too long${status}`;
    case "server":
      return `${name} failed${status}`;
    case "budget":
      return `The budget is used up${status}`;
    case "denied":
      return `A rule does not allow this request${status}`;
    case "aborted":
      return `Stopped${status}`;
  }
}

function advise(code: ModelErrorCode, { provider, baseUrl, keyPlace }: ErrorContext): string {
  switch (code) {
    case "unauthorized":
      // The command keeps the key in a file: the configuration is no place for it.
      return keyPlace === undefined || keyPlace === `models.providers.${provider}.apiKey`
        ? ` Set a valid one with "factotum auth set ${provider}".`
        : " Set a valid key there.";
    case "billing":
      return " Top up the account, or choose another model.";
    case "not-found":
      return ` Check the model's name and models.providers.${provider}.baseUrl (${baseUrl}).`;
    case "unreachable":
      return ` Check that models.providers.${provider}.baseUrl (${baseUrl}) is right and that its server runs.`;
    case "context-overflow":
      return " Compact the conversation or start a new one.";
    case "timeout":
      return ` Its limits are set under models.providers.${provider}.timeouts.`;
    case "rate-limited":
    case "overloaded":
    case "invalid-request":
    case "refused":
    case "filtered":
    case "truncated":
    case "output-limit":
    case "server":
    case "budget":
    case "denied":
    case "aborted":
      return "";
  }
}

/** A provider's words without what must not be repeated: secrets, keys, and long quotations, which can be the prompt. */
export function quotable(said: string, secrets: readonly string[]): string {
  let text = said.toWellFormed().replaceAll(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, "[redacted]");
  text = text.replaceAll(/\b(?:sk|pk|key|AIza)[-_a-zA-Z0-9]{12,}/g, "[redacted]").replaceAll(/"[^"]{60,}"|'[^']{60,}'|`[^`]{60,}`/g, '"…"');
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
