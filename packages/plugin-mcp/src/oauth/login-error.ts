/** The owner has to log in before the server can be used. The message says how. */
export class NeedsLoginError extends Error {
  constructor(server: string, { forMore = false, ...options }: ErrorOptions & { readonly forMore?: boolean } = {}) {
    super(`needs login${forMore ? " for more permissions" : ""}: factotum mcp login ${quoted(server)}`, options);
    this.name = "NeedsLoginError";
  }
}

/** A login is impossible, or was refused. The message says why, and what to do. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LoginError";
  }
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}
