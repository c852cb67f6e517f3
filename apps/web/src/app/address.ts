/** The view of a session. */
export type View = "chat" | "context";

/** A session and its view, as an address names them. */
export interface SessionPlace {
  readonly sessionKey: string;
  /** `context`: what the model was given, instead of the conversation. */
  readonly view: View;
}

/** Reads the path of a session's route, `/chat/<key>` or `/context/<key>`; `undefined` for every other page, and for a key that is not encoded as the router demands. */
export function parsePath(path: string): SessionPlace | undefined {
  const [, view, encoded = ""] = /^\/(chat|context)\/([^/]+)$/.exec(path) ?? [];
  const sessionKey = decode(encoded);
  return !sessionKey || view === undefined ? undefined : { sessionKey, view: view === "context" ? "context" : "chat" };
}

/** The path of a session's route. */
export function renderPath(sessionKey: string, view: View = "chat"): string {
  return `/${view}/${encodeURIComponent(sessionKey).replaceAll("%3A", ":")}`;
}

/** What the fragment of an address holds besides a route. It never leaves the browser, unlike a query. */
interface FragmentParts {
  readonly token?: string | undefined;
  readonly place?: SessionPlace | undefined;
}

/** So many fit into the first frame, however they are encoded. What is left of a longer token is refused as every wrong one is. */
const MAX_TOKEN_CHARS = 10_000;

/** Reads `#token=…`, and the addresses of versions without routes, `#session=…&view=…`; nothing of a route, which begins with `#/`. */
export function parseFragment(fragment: string): FragmentParts {
  if (fragment.startsWith("#/")) return {};
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const sessionKey = parts.get("session");
  return {
    token: parts.get("token")?.slice(0, MAX_TOKEN_CHARS) || undefined,
    place: sessionKey ? { sessionKey, view: parts.get("view") === "context" ? "context" : "chat" } : undefined,
  };
}

/** The token in what a person has pasted: a token, or the address that the gateway prints. */
export function parsePastedToken(pasted: string): string {
  const text = pasted.trim();
  const at = text.indexOf("#");
  return (at === -1 ? undefined : parseFragment(text.slice(at)).token) ?? text.slice(0, MAX_TOKEN_CHARS);
}

/** Where the browser keeps the token. */
export const TOKEN_KEY = "factotum.token";

/**
 * Turns an address with a token, or one of a version without routes, into that of a route, and returns the token if it had one. The token leaves the address to
 * keep it out of the history and of screenshots. It is not stored: the gateway has to accept it first, since a mistyped link must not log the browser out.
 */
export function takeToken(page: Pick<Window, "location" | "history">): string | undefined {
  const { hash } = page.location;
  const parts = new URLSearchParams(hash.slice(1));
  // Also without values: the router knows no such address.
  if (hash.startsWith("#/") || !(parts.has("token") || parts.has("session"))) return undefined;
  const { token, place } = parseFragment(hash);
  const route = place === undefined ? "" : `#${renderPath(place.sessionKey, place.view)}`;
  page.history.replaceState(null, "", page.location.pathname + page.location.search + route);
  return token;
}

const OFFERED_KEY = "factotum.offeredToken";

/** Keeps a token of the address in this tab until the gateway has judged it: the address has it no longer when the page is reloaded. `undefined` forgets it. */
export function keepOffered(storage: Pick<Storage, "setItem" | "removeItem">, token: string | undefined): void {
  if (token === undefined) storage.removeItem(OFFERED_KEY);
  else storage.setItem(OFFERED_KEY, token);
}

/** The token that an earlier opening of this tab had in its address, if the gateway has not judged it. */
export function loadOffered(storage: Pick<Storage, "getItem">): string | undefined {
  return storage.getItem(OFFERED_KEY) ?? undefined;
}

/** The stored token of this browser. */
export function loadToken(storage: Pick<Storage, "getItem">): string | undefined {
  return storage.getItem(TOKEN_KEY) ?? undefined;
}

/** Stores a token that the gateway has accepted. */
export function storeToken(storage: Pick<Storage, "setItem">, token: string): void {
  storage.setItem(TOKEN_KEY, token);
}

/** Logs this browser out. */
export function forgetToken(storage: Pick<Storage, "removeItem">): void {
  storage.removeItem(TOKEN_KEY);
}

/** `undefined` for a mistyped address, with a percent sign that encodes nothing. */
function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
