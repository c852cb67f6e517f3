import type { IncomingHttpHeaders } from "node:http";
import { transportRule, type WireRule } from "../strict/rule.ts";

function keyOf(headers: IncomingHttpHeaders): string {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** In the order in which the vendor's edge looks. */
export const MISTRAL_TRANSPORT_RULES: readonly WireRule<never>[] = [
  transportRule({
    id: "endpoint",
    description: "Answers are created with POST /v1/chat/completions.",
    vendorText: "no Route matched with those values",
    errorType: "not-found",
    check: ({ method, path }) =>
      method === "POST" && path === "/v1/chat/completions" ? undefined : { message: "no Route matched with those values" },
  }),
  transportRule({
    id: "api-key",
    description: "Every request carries its key as a bearer token.",
    vendorText: "Unauthorized",
    errorType: "authentication",
    check: ({ headers, apiKey }) =>
      keyOf(headers) === "" || (apiKey !== undefined && keyOf(headers) !== apiKey) ? { message: "Unauthorized" } : undefined,
  }),
  transportRule({
    id: "json",
    description: "A body is one JSON object.",
    vendorText: "JSON decode error",
    status: 422,
    check: ({ jsonError }) => (jsonError === undefined ? undefined : { message: `JSON decode error: ${jsonError}`, param: "body" }),
  }),
];
