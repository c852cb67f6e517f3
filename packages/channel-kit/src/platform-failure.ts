/** Why a request to a platform failed. */
export type PlatformFailureReason =
  /** The platform refused it. */
  | {
      readonly type: "refused";
      /** Its own code for the reason; numbers as text. */
      readonly code: string;
      /** Status of the response, if it says more than that there is one. */
      readonly status?: number;
      readonly retryAfterMs?: number;
      /** Set if the app lacks a permission: those of which one would do, empty if the platform names none. */
      readonly scopes?: readonly string[];
    }
  /** A response without the platform's own code. */
  | { readonly type: "http"; readonly status: number; readonly retryAfterMs?: number }
  /** The request could not be made: a wrong argument, an unreadable file, a bug. Another attempt would fail the same way. */
  | { readonly type: "local" }
  /** The request did not leave. */
  | { readonly type: "not-sent" }
  /** The request was sent; there was no readable response. */
  | { readonly type: "no-answer" };

/** The rejection of a request to a platform. Its message contains no secret and no text of a message. */
export class PlatformFailure extends Error {
  readonly reason: PlatformFailureReason;

  constructor(reason: PlatformFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PlatformFailure";
    this.reason = reason;
  }
}

/** The failure inside an error of an SDK, which wraps what its `fetch` rejects with: as `cause`, `original` or `error`. */
export function platformFailureIn(error: unknown): PlatformFailure | undefined {
  let at = error;
  for (let depth = 0; depth < 10 && at instanceof Error; depth += 1) {
    if (at instanceof PlatformFailure) return at;
    const { original, error: inner } = at as { readonly original?: unknown; readonly error?: unknown };
    at = original ?? inner ?? at.cause;
  }
  return undefined;
}
