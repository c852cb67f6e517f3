/** What the fragment of the address says. It never leaves the browser, unlike a query. */
export interface AddressParts {
  readonly token?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** `context`: what the model was given, in place of the conversation. */
  readonly view?: View | undefined;
}

/** What of a session is shown. */
export type View = "chat" | "context";

/** Reads `#token=…&session=…&view=…`. */
export function parseFragment(fragment: string): AddressParts {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    token: parts.get("token") || undefined,
    sessionKey: parts.get("session") || undefined,
    ...(parts.get("view") === "context" ? { view: "context" } : {}),
  };
}

/** The fragment for a session, and for what of it is shown. */
export function renderFragment(sessionKey: string, view: View = "chat"): string {
  return `#session=${encodeURIComponent(sessionKey).replaceAll("%3A", ":")}${view === "chat" ? "" : `&view=${view}`}`;
}

const TOKEN_KEY = "factotum.token";

/**
 * Takes the token out of the address, so that it stays out of the history and of screenshots. `undefined` if there was none. It is not stored: the gateway
 * has to accept it first, since a mistyped link must not log the browser out.
 */
export function takeToken(page: Pick<Window, "location" | "history">): string | undefined {
  const { token, sessionKey, view } = parseFragment(page.location.hash);
  if (token === undefined) return undefined;
  const rest = sessionKey === undefined ? "" : renderFragment(sessionKey, view);
  page.history.replaceState(null, "", page.location.pathname + page.location.search + rest);
  return token;
}

/** The token of this browser. */
export function loadToken(storage: Pick<Storage, "getItem">): string | undefined {
  return storage.getItem(TOKEN_KEY) ?? undefined;
}

/** Keeps a token that the gateway has accepted. */
export function storeToken(storage: Pick<Storage, "setItem">, token: string): void {
  storage.setItem(TOKEN_KEY, token);
}
