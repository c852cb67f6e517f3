import type { IncomingHttpHeaders } from "node:http";
import { transportRule, type WireRule } from "../strict/rule.ts";
import { readPath } from "./google-view.ts";
import { findGoogleModel, type GoogleModel } from "./models.ts";

/** 20 MB, the vendor's limit for a request. */
export const MAX_REQUEST_BYTES: number = 20 * 1024 * 1024;

function keyOf(headers: IncomingHttpHeaders, path: string): string {
  const header = [headers["x-goog-api-key"] ?? ""].flat().join();
  return header === "" ? (new URLSearchParams(readPath(path)?.query ?? "").get("key") ?? "") : header;
}

/** In the order in which the vendor's edge looks. */
export function googleTransportRules(models: Readonly<Record<string, GoogleModel>>): readonly WireRule<never>[] {
  return [
    transportRule({
      id: "endpoint",
      description: "Answers are created with POST /v1beta/models/<model>:generateContent, or :streamGenerateContent?alt=sse.",
      vendorText: "Not Found",
      errorType: "not-found",
      check: ({ method, path }) => {
        const asked = readPath(path);
        const streamsAsEvents = asked?.streams !== true || new URLSearchParams(asked.query).get("alt") === "sse";
        return method === "POST" && asked !== undefined && streamsAsEvents ? undefined : { message: "Not Found" };
      },
    }),
    transportRule({
      id: "request-bytes",
      description: "A request has at most 20 MB.",
      vendorText: "Request payload size exceeds the limit: 20971520 bytes.",
      errorType: "request-too-large",
      check: ({ byteLength }) =>
        byteLength > MAX_REQUEST_BYTES ? { message: `Request payload size exceeds the limit: ${MAX_REQUEST_BYTES} bytes.` } : undefined,
    }),
    transportRule({
      id: "api-key-missing",
      description: "Every request carries its key, in x-goog-api-key or as key in the query.",
      vendorText: "Method doesn't allow unregistered callers (callers without established identity). …",
      errorType: "permission",
      check: ({ headers, path }) =>
        keyOf(headers, path) === ""
          ? {
              message:
                "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
            }
          : undefined,
    }),
    transportRule({
      id: "api-key-invalid",
      description: "The key is one that the vendor gave out.",
      vendorText: "API key not valid. Please pass a valid API key.",
      errorType: "authentication",
      check: ({ headers, path, apiKey }) =>
        apiKey !== undefined && keyOf(headers, path) !== apiKey
          ? { message: "API key not valid. Please pass a valid API key." }
          : undefined,
    }),
    transportRule({
      id: "model-unknown",
      description: "The model of the path is one that the vendor has.",
      vendorText: "models/… is not found for API version v1beta, or is not supported for generateContent. …",
      errorType: "not-found",
      check: ({ path }) => {
        const id = readPath(path)?.modelId ?? "";
        return findGoogleModel(id, models) === undefined
          ? { message: `models/${id} is not found for API version v1beta, or is not supported for generateContent.` }
          : undefined;
      },
    }),
    transportRule({
      id: "json",
      description: "A body is one JSON object.",
      vendorText: "Invalid JSON payload received. …",
      check: ({ jsonError }) => (jsonError === undefined ? undefined : { message: `Invalid JSON payload received. ${jsonError}` }),
    }),
  ];
}
