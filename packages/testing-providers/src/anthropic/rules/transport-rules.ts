import type { IncomingHttpHeaders } from "node:http";
import { API_VERSIONS } from "../api-versions.ts";
import { type AnthropicRule, transportRule } from "../rule.ts";

/** The vendor's first SDKs send `x-api-key`, its newer ones a bearer token. */
function keyOf(headers: IncomingHttpHeaders): string {
  const key = [headers["x-api-key"] ?? ""].flat().join();
  return key === "" ? (/^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "") : key;
}

/** In the vendor's order: the first broken rule ends the request. */
export const TRANSPORT_RULES: readonly AnthropicRule[] = [
  transportRule({
    id: "endpoint",
    description: "Messages are created with POST /v1/messages.",
    vendorText: "Not Found",
    errorType: "not_found_error",
    check: ({ method, path }) => (method === "POST" && path === "/v1/messages" ? undefined : "Not Found"),
  }),
  transportRule({
    id: "request-bytes",
    description: "A request has at most 32 MB.",
    vendorText: "Request exceeds the maximum size",
    errorType: "request_too_large",
    check: ({ byteLength, maxBytes }) => (byteLength > maxBytes ? "Request exceeds the maximum size" : undefined),
  }),
  transportRule({
    id: "api-key-missing",
    description: "Every request carries its key, in x-api-key or as a bearer token.",
    vendorText: "x-api-key header is required",
    errorType: "authentication_error",
    check: ({ headers }) => (keyOf(headers) === "" ? "x-api-key header is required" : undefined),
  }),
  transportRule({
    id: "api-key-invalid",
    description: "The key is one that the vendor gave out.",
    vendorText: "invalid x-api-key",
    errorType: "authentication_error",
    check: ({ headers, apiKey }) => (apiKey !== undefined && keyOf(headers) !== apiKey ? "invalid x-api-key" : undefined),
  }),
  transportRule({
    id: "version-missing",
    description: "Every request names the API version in anthropic-version.",
    vendorText: "anthropic-version: header is required",
    check: ({ headers }) => ((headers["anthropic-version"] ?? "") === "" ? "anthropic-version: header is required" : undefined),
  }),
  transportRule({
    id: "version-unknown",
    description: "The API version is a published one.",
    vendorText: "anthropic-version: … is not a valid version",
    check: ({ headers }) => {
      const version = [headers["anthropic-version"] ?? ""].flat().join();
      return API_VERSIONS.some((known) => known === version) ? undefined : `anthropic-version: "${version}" is not a valid version`;
    },
  }),
  transportRule({
    id: "content-type",
    description: "A body is declared as application/json.",
    vendorText: "content-type: application/json is a required header of the reference",
    check: ({ headers }) =>
      /^application\/json(;|$)/i.test(headers["content-type"] ?? "") ? undefined : "content-type: header must be application/json",
  }),
  transportRule({
    id: "json",
    description: "A body is one JSON object.",
    vendorText: "The request body is not valid JSON: …",
    check: ({ jsonError }) => (jsonError === undefined ? undefined : `The request body is not valid JSON: ${jsonError}`),
  }),
];
