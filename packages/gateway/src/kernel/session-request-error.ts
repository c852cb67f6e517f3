/** A request that cannot be fulfilled as it stands. The message says what to do. */
export class SessionRequestError extends Error {
  readonly code: "invalid-request" | "not-found" | "conflict";

  constructor(code: SessionRequestError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SessionRequestError";
    this.code = code;
  }
}
