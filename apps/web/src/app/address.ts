/** The fragment of the address. It never leaves the browser, unlike a query. */
export interface AddressParts {
  readonly token?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** `context`: what the model was given, instead of the conversation. */
  readonly view?: View | undefined;
}

/** The view of a session. */
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

/** The token in what a person has pasted: a token, or the address that the gateway prints. */
export function parsePastedToken(pasted: string): string {
  const text = pasted.trim();
  const at = text.indexOf("#");
  return (at === -1 ? undefined : parseFragment(text.slice(at)).token) ?? text;
}

/** The fragment for a session and its view. */
export function renderFragment(sessionKey: string, view: View = "chat"): string {
  return `#session=${encodeURIComponent(sessionKey).replaceAll("%3A", ":")}${view === "chat" ? "" : `&view=${view}`}`;
}

const TOKEN_KEY = "factotum.token";

/**
 * Removes the token from the address, to keep it out of the history and of screenshots. `undefined` if there was none. It is not stored: the gateway has to
 * accept it first, since a mistyped link must not log the browser out.
 */
export function takeToken(page: Pick<Window, "location" | "history">): string | undefined {
  const { token, sessionKey, view } = parseFragment(page.location.hash);
  if (token === undefined) return undefined;
  const rest = sessionKey === undefined ? "" : renderFragment(sessionKey, view);
  page.history.replaceState(null, "", page.location.pathname + page.location.search + rest);
  return token;
}

/** The stored token of this browser. */
export function loadToken(storage: Pick<Storage, "getItem">): string | undefined {
  return storage.getItem(TOKEN_KEY) ?? undefined;
}

/** Stores a token that the gateway has accepted. */
export function storeToken(storage: Pick<Storage, "setItem">, token: string): void {
  storage.setItem(TOKEN_KEY, token);
}
