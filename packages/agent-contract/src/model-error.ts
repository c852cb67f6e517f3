/** When the same request may be retried. Decided once, where the failure is detected. */
export type Retry = { readonly type: "never" } | { readonly type: "after"; readonly delayMs: number } | { readonly type: "backoff" };

/**
 * - `unauthorized`: the credential is missing, wrong or not allowed to use this model.
 * - `billing`: the account is out of credit or over its plan.
 * - `rate-limited`, `overloaded`: try later.
 * - `context-overflow`: the request does not fit into the model's window.
 * - `invalid-request`: the provider will never accept this request.
 * - `not-found`: no such model or endpoint.
 * - `refused`: the model declined to answer.
 * - `filtered`: the provider's content filter stopped the request or the answer.
 * - `timeout`: one of the three limits (connect, first event, between events) expired.
 * - `unreachable`: no connection, or it broke before an answer.
 * - `truncated`: the answer broke off, or what came was no valid answer.
 * - `output-limit`: the answer was longer than one answer may be, and was stopped there.
 * - `server`: the provider failed.
 * - `budget`: not sent, because the cause of the call has used up its budget, or is paused after failures.
 * - `denied`: not sent, because a rule of the owner's does not allow it.
 * - `aborted`: the gateway's own signal.
 */
export type ModelErrorCode =
  | "unauthorized"
  | "billing"
  | "rate-limited"
  | "overloaded"
  | "context-overflow"
  | "invalid-request"
  | "not-found"
  | "refused"
  | "filtered"
  | "timeout"
  | "unreachable"
  | "truncated"
  | "output-limit"
  | "server"
  | "budget"
  | "denied"
  | "aborted";

const brand: unique symbol = Symbol.for("factotum.ModelError");

/** Why a model request failed. The message is for people and contains no prompt and no secret. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retry: Retry;
  /** The HTTP status, if there was a response. */
  readonly status?: number;

  constructor(code: ModelErrorCode, message: string, options: ErrorOptions & { readonly retry: Retry; readonly status?: number }) {
    super(message, options);
    this.name = "ModelError";
    this.code = code;
    this.retry = options.retry;
    if (options.status !== undefined) this.status = options.status;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every ModelError, including those of another copy of this package. */
  static isInstance(value: unknown): value is ModelError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
