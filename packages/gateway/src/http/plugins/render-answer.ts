import type { RouteAnswer } from "./plugin-route.ts";

/**
 * What a plugin answers is no part of the Control UI, although it has its origin: a page of it runs no script, sends no form and reaches no storage of the
 * origin, and no page can load an answer as a script or a style, or show it in a frame.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Types that a browser shows, or hands to a program. No scripts, styles and images: the page of the gateway may load those of its origin. */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  "text/plain",
  "text/html",
  "text/csv",
  "text/markdown",
  "text/calendar",
  "application/json",
  "application/atom+xml",
  "application/rss+xml",
]);

/** Headers that a plugin may send, in addition to `content-type`. */
const ALLOWED_HEADERS = ["content-disposition", "content-language", "retry-after"];

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Renders what a plugin answered. Headers that it may not send, or that are none, are left out; an unknown type becomes plain text. */
export function renderAnswer({ status, headers, body }: Extract<RouteAnswer, { type: "answer" }>): Response {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const sent = ALLOWED_HEADERS.flatMap((name): readonly (readonly [string, string])[] => {
    const value = headers[name];
    return value !== undefined && /^[\u0020-\u007e]{1,1000}$/.test(value) ? [[name, value]] : [];
  });
  const isBodiless = BODILESS.has(status);
  return new Response(isBodiless ? null : body, {
    status,
    headers: {
      ...Object.fromEntries(sent),
      ...(isBodiless ? {} : { "content-type": `${CONTENT_TYPES.has(type) ? type : "text/plain"}; charset=utf-8` }),
      ...SECURITY_HEADERS,
    },
  });
}
