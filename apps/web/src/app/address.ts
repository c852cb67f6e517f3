/** What the fragment of the address says. It never leaves the browser, unlike a query. */
export interface AddressParts {
  readonly token?: string | undefined;
  readonly sessionKey?: string | undefined;
}

/** Reads `#token=…&session=…`. */
export function parseFragment(fragment: string): AddressParts {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  return { token: parts.get("token") || undefined, sessionKey: parts.get("session") || undefined };
}

/** The fragment for a session. */
export function renderFragment(sessionKey: string): string {
  return `#session=${encodeURIComponent(sessionKey).replaceAll("%3A", ":")}`;
}

const TOKEN_KEY = "factotum.token";

/** Stores the token of the address and clears it there at once, so that it stays out of the history and of screenshots. True if there was one. */
export function takeToken(page: Pick<Window, "location" | "history" | "localStorage">): boolean {
  const { token, sessionKey } = parseFragment(page.location.hash);
  if (token === undefined) return false;
  page.localStorage.setItem(TOKEN_KEY, token);
  const rest = sessionKey === undefined ? "" : renderFragment(sessionKey);
  page.history.replaceState(null, "", page.location.pathname + page.location.search + rest);
  return true;
}

/** The token of this browser. */
export function loadToken(storage: Pick<Storage, "getItem">): string | undefined {
  return storage.getItem(TOKEN_KEY) ?? undefined;
}

/** Keeps a token that was typed. */
export function storeToken(storage: Pick<Storage, "setItem">, token: string): void {
  storage.setItem(TOKEN_KEY, token);
}
