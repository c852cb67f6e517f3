import type { Context, MiddlewareHandler } from "hono";
import type { HttpEnv } from "./admit-request.ts";

/** Response headers that a page may read, in addition to the default ones. */
const EXPOSED = "x-factotum-session, x-factotum-ignored, retry-after, x-should-retry";
/** Request headers allowed if a page does not name any. */
const ALLOWED_HEADERS = "authorization, content-type, x-factotum-session, x-factotum-reasoning";
const ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS";
/** The browser's cache time of a preflight. An origin that is no longer listed is refused at once: every request is checked. */
const MAX_AGE_S = 600;

/**
 * Lets pages of listed origins read the responses, including refusals, by the rules of CORS. Cookies do not matter: a page sends the token like any client. An
 * origin that is not listed gets no header. The request itself is admitted or refused elsewhere.
 */
export function corsHeaders(allowedOrigins: () => readonly string[]): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    await next();
    const allowed = allowedOrigins();
    if (allowed.length === 0) return;
    context.header("vary", "origin", { append: true });
    const origin = context.req.header("origin");
    if (origin === undefined || !allowed.includes(origin)) return;
    context.header("access-control-allow-origin", origin);
    context.header("access-control-expose-headers", EXPOSED);
  };
}

/** The answer to an allowed preflight request. It lists what may be sent, and reveals nothing. */
export function answerPreflight(context: Context<HttpEnv>): Response {
  // Clients send custom headers, and a wildcard does not cover `authorization`.
  const headers = context.req.header("access-control-request-headers") ?? ALLOWED_HEADERS;
  return context.body(null, 204, {
    allow: ALLOWED_METHODS,
    "access-control-allow-methods": ALLOWED_METHODS,
    "access-control-allow-headers": headers,
    "access-control-max-age": String(MAX_AGE_S),
    vary: "access-control-request-headers",
  });
}
