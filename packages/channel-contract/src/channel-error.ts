/** When the same call may be retried. Decided by the adapter, which alone knows the platform. */
export type Retry = { readonly type: "never" } | { readonly type: "after"; readonly delayMs: number } | { readonly type: "backoff" };

/**
 * - `unauthorized`: the platform refuses the account, and so everything it sends: its credential is wrong, revoked or expired, or the account is suspended. The
 *   gateway keeps the account's messages and probes with one of them, regardless of `retry`.
 * - `forbidden`: the bot may not do this here.
 * - `not-found`: the conversation, message or person does not exist (any more).
 * - `rate-limited`: retry later; `retry` has the platform's own delay if it gave one.
 * - `too-long`: over a size limit of the platform.
 * - `rejected`: any other refusal of the platform.
 * - `unreachable`: no connection; the request was not sent.
 */
export type ChannelErrorCode = "unauthorized" | "forbidden" | "not-found" | "rate-limited" | "too-long" | "rejected" | "unreachable";

const brand: unique symbol = Symbol.for("factotum.ChannelError");

/** The rejection of `start`, `act`, `fetchAttachment` and `resolveTarget`. `send` never rejects: it resolves with a receipt. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  readonly retry: Retry;

  constructor(code: ChannelErrorCode, message: string, options: ErrorOptions & { readonly retry: Retry }) {
    super(message, options);
    this.name = "ChannelError";
    this.code = code;
    this.retry = options.retry;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every ChannelError, including those of another copy of this package. */
  static isInstance(value: unknown): value is ChannelError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
