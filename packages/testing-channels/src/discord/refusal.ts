/** How a request fails. */
export type DiscordFault =
  /** Refused by the platform; nothing was done. */
  | { readonly type: "refuse"; readonly status: number; readonly code: number; readonly message: string }
  /** 429; nothing was done. */
  | { readonly type: "rate-limit"; readonly seconds: number }
  /** An HTTP error without the platform's JSON; nothing was done. */
  | { readonly type: "http"; readonly status: number }
  /** The connection breaks; nothing was done. */
  | { readonly type: "drop" }
  /** Done, but the connection breaks before the answer. */
  | { readonly type: "accept-then-drop" }
  /** Done; the answer is not the platform's. */
  | { readonly type: "accept-then-garbage" }
  /** Done; the answer waits for `release`. */
  | { readonly type: "hold" };

/** The platform refuses a request. */
export class DiscordRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: object | undefined;

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** A field has a wrong value. */
export function invalidField(path: string, code: string): DiscordRefusal {
  const errors = path
    .split(".")
    .toReversed()
    .reduce<object>((inner, key) => ({ [key]: inner }), { _errors: [{ code, message: "This field is not valid." }] });
  return new DiscordRefusal(400, 50_035, "Invalid Form Body", errors);
}

export const unauthorized = (): DiscordRefusal => new DiscordRefusal(401, 0, "401: Unauthorized");
export const unknownChannel = (): DiscordRefusal => new DiscordRefusal(404, 10_003, "Unknown Channel");
export const unknownMessage = (): DiscordRefusal => new DiscordRefusal(404, 10_008, "Unknown Message");
export const unknownUser = (): DiscordRefusal => new DiscordRefusal(404, 10_013, "Unknown User");
export const unknownInteraction = (): DiscordRefusal => new DiscordRefusal(404, 10_062, "Unknown interaction");
export const unknownWebhook = (): DiscordRefusal => new DiscordRefusal(404, 10_015, "Unknown Webhook");
export const missingAccess = (): DiscordRefusal => new DiscordRefusal(403, 50_001, "Missing Access");
