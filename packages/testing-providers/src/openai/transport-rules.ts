import type { IncomingHttpHeaders } from "node:http";
import { transportRule, type WireRule } from "../strict/rule.ts";

function keyOf(headers: IncomingHttpHeaders): string {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** Rules of every endpoint for a request, in the order in which the vendor's edge checks them. */
export function openaiTransportRules(path: string, options: { readonly keyNeeded: boolean }): readonly WireRule<never>[] {
  return [
    transportRule({
      id: "endpoint",
      description: `Answers are created with POST ${path}.`,
      vendorText: "Invalid URL (POST …)",
      errorType: "invalid-request",
      status: 404,
      check: ({ method, path: asked }) =>
        method === "POST" && asked === path ? undefined : { message: `Invalid URL (${method} ${asked})` },
    }),
    ...(options.keyNeeded ? [KEY_MISSING] : []),
    transportRule({
      id: "api-key-invalid",
      description: "The key is one that the vendor gave out.",
      vendorText: "Incorrect API key provided: ….",
      errorType: "authentication",
      check: ({ headers, apiKey }) =>
        apiKey !== undefined && keyOf(headers) !== apiKey ? { message: "Incorrect API key provided: sk-…." } : undefined,
    }),
    transportRule({
      id: "content-type",
      description: "A body is declared as application/json.",
      vendorText: "Unsupported content type: '…'. This API method only accepts 'application/json' requests, …",
      code: "unsupported_content_type",
      check: ({ headers }) =>
        /^application\/json(;|$)/i.test(headers["content-type"] ?? "")
          ? undefined
          : {
              message: `Unsupported content type: '${headers["content-type"] ?? ""}'. This API method only accepts 'application/json' requests.`,
            },
    }),
    transportRule({
      id: "json",
      description: "A body is one JSON object.",
      vendorText: "We could not parse the JSON body of your request. …",
      check: ({ jsonError }) =>
        jsonError === undefined ? undefined : { message: `We could not parse the JSON body of your request. ${jsonError}` },
    }),
  ];
}

const KEY_MISSING: WireRule<never> = transportRule({
  id: "api-key-missing",
  description: "Every request carries its key as a bearer token.",
  vendorText: "You didn't provide an API key. …",
  errorType: "authentication",
  check: ({ headers }) => (keyOf(headers) === "" ? { message: "You didn't provide an API key." } : undefined),
});
