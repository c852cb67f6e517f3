/** How a request fails. */
export type SlackFault =
  /** Refused by the platform, with its code; nothing was done. */
  | { readonly type: "refuse"; readonly error: string; readonly more?: Readonly<Record<string, unknown>> }
  /** 429; nothing was done. */
  | { readonly type: "rate-limit"; readonly seconds: number }
  /** An HTTP error without the platform's JSON; nothing was done. */
  | { readonly type: "http"; readonly status: number }
  /** Done, and the connection breaks before the answer. */
  | { readonly type: "accept-then-drop" }
  /** Done, and the answer is not the platform's. */
  | { readonly type: "accept-then-garbage" }
  /** The connection breaks; nothing was done. */
  | { readonly type: "drop" }
  /** Done, and the answer waits for `release`. */
  | { readonly type: "hold" };

/** A refusal with the platform's code. */
export class SlackRefusal extends Error {
  readonly more: Readonly<Record<string, unknown>>;

  constructor(error: string, more: Readonly<Record<string, unknown>> = {}) {
    super(error);
    this.more = more;
  }
}
