import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, Retry, SendReceipt } from "@factotum/channel-contract";

/** Why a request to the platform failed. */
export type SampleChatFailureReason =
  /** The platform refused it. */
  | { readonly type: "refused"; readonly status: number; readonly retryAfterMs?: number }
  /** The request did not leave. */
  | { readonly type: "not-sent" }
  /** The request was sent; there was no readable response. */
  | { readonly type: "no-answer" };

/** Thrown by every failed request. Its message contains no secret and no message text. */
export class SampleChatFailure extends Error {
  readonly reason: SampleChatFailureReason;

  constructor(reason: SampleChatFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SampleChatFailure";
    this.reason = reason;
  }
}

const NEVER: Retry = { type: "never" };
const BACKOFF: Retry = { type: "backoff" };

/** Connection errors of a request that did not leave. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** Maps a rejection of `fetch`. An abort by signal leaves the result unknown: the request may have arrived. */
export function toFailure(error: unknown): SampleChatFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return NOT_SENT.has(code)
    ? new SampleChatFailure({ type: "not-sent" }, `Sample Chat cannot be reached (${code})`, { cause: error })
    : new SampleChatFailure({ type: "no-answer" }, "Sample Chat did not answer", { cause: error });
}

/** Maps an error, for everything but sends. */
export function toChannelError(error: unknown): ChannelError {
  if (ChannelError.isInstance(error)) return error;
  if (!(error instanceof SampleChatFailure)) {
    return new ChannelError("rejected", error instanceof Error ? error.message : "the call failed", { retry: NEVER, cause: error });
  }
  const [code, retry] = classify(error);
  return new ChannelError(code, error.message, { retry, cause: error });
}

/** Maps an error of a send. After a failure of the platform itself it is unknown whether the message is shown. */
export function toReceipt(error: unknown): SendReceipt {
  const { reason } = error instanceof SampleChatFailure ? error : { reason: undefined };
  if (reason?.type === "no-answer") return { type: "ambiguous", cause: "the request was not answered" };
  if (reason?.type === "refused" && reason.status >= 500) return { type: "ambiguous", cause: `the platform answered ${reason.status}` };
  const { code, retry, message } = toChannelError(error);
  return { type: "rejected", code, retry, message };
}

function classify({ reason }: SampleChatFailure): readonly [ChannelErrorCode, Retry] {
  if (reason.type !== "refused") return ["unreachable", BACKOFF];
  const later: Retry = reason.retryAfterMs === undefined ? BACKOFF : { type: "after", delayMs: reason.retryAfterMs };
  if (reason.status >= 500) return ["unreachable", later];
  switch (reason.status) {
    case 401:
      return ["unauthorized", NEVER];
    case 403:
      return ["forbidden", NEVER];
    case 404:
      return ["not-found", NEVER];
    case 413:
      return ["too-long", NEVER];
    case 429:
      return ["rate-limited", later];
    default:
      return ["rejected", NEVER];
  }
}
