import type { IncomingHttpHeaders } from "node:http";
import type { PluginRouteMethod, PluginRouteRequest } from "@factotum/plugin";

/** Credentials of the gateway, of a proxy in front of it, and of pages of its origin. */
const CREDENTIALS = /authorization|cookie|access-?token|jwt/;

/** What a plugin gets of a request. */
export function renderRequest(
  { headers, query }: { readonly headers: IncomingHttpHeaders; readonly query: URLSearchParams },
  rest: { readonly method: PluginRouteMethod; readonly path: string; readonly body: string },
): PluginRouteRequest {
  const passed = Object.entries(headers).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || CREDENTIALS.test(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  return { ...rest, query: Object.fromEntries(query), headers: Object.fromEntries(passed) };
}
