/** How a request fails. */
export type MatrixFault =
  /** Refused by the homeserver; nothing was done. */
  | { readonly type: "refuse"; readonly status: number; readonly code: string }
  /** 429; nothing was done. */
  | { readonly type: "rate-limit"; readonly delayMs: number }
  /** An HTTP error without the platform's JSON; nothing was done. */
  | { readonly type: "http"; readonly status: number }
  /** An answer that is not the platform's; nothing was done. */
  | { readonly type: "garbage" }
  /** Done, and the connection breaks before the answer. */
  | { readonly type: "accept-then-drop" }
  /** Done, and the answer is not the platform's. */
  | { readonly type: "accept-then-garbage" }
  /** The connection breaks; nothing was done. */
  | { readonly type: "drop" }
  /** Done, and the answer waits for `release`. */
  | { readonly type: "hold" };

/** A refusal with the platform's code. */
export class MatrixRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export const forbidden = (message: string): MatrixRefusal => new MatrixRefusal(403, "M_FORBIDDEN", message);
export const notFound = (message: string): MatrixRefusal => new MatrixRefusal(404, "M_NOT_FOUND", message);
export const invalid = (message: string, code = "M_INVALID_PARAM"): MatrixRefusal => new MatrixRefusal(400, code, message);
