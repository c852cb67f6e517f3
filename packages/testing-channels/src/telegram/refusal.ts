/** How a request fails. */
export type TelegramFault =
  /** Refused by the platform; nothing was done. */
  | { readonly type: "refuse"; readonly code: number; readonly description: string }
  /** 429; nothing was done. */
  | { readonly type: "rate-limit"; readonly seconds: number }
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

/** A refusal with the platform's code and description. */
export class TelegramRefusal extends Error {
  readonly code: number;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** A refusal for a bad request. */
export function badRequest(what: string, parameters?: Readonly<Record<string, number>>): TelegramRefusal {
  return new TelegramRefusal(400, `Bad Request: ${what}`, parameters);
}
