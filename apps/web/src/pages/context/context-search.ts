/** What the address of the page says besides the session: the id of the request that is shown; the newest one without it. */
export interface ContextSearch {
  readonly request?: string;
}

/** The page's part of an address. */
export function parseContextSearch({ request }: Readonly<Record<string, unknown>>): ContextSearch {
  return typeof request === "string" && request !== "" ? { request } : {};
}
