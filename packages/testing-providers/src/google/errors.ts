import type { Finding } from "../strict/rule.ts";
import type { ErrorKind } from "../strict/scripted-reply.ts";

/** The vendor's documented HTTP status and status name of each kind. */
export const GOOGLE_ERRORS: Readonly<Record<ErrorKind, { readonly status: number; readonly name: string }>> = {
  "invalid-request": { status: 400, name: "INVALID_ARGUMENT" },
  // A wrong key is an invalid argument for this vendor.
  authentication: { status: 400, name: "INVALID_ARGUMENT" },
  permission: { status: 403, name: "PERMISSION_DENIED" },
  "not-found": { status: 404, name: "NOT_FOUND" },
  "request-too-large": { status: 400, name: "INVALID_ARGUMENT" },
  "rate-limit": { status: 429, name: "RESOURCE_EXHAUSTED" },
  quota: { status: 429, name: "RESOURCE_EXHAUSTED" },
  server: { status: 500, name: "INTERNAL" },
  overloaded: { status: 503, name: "UNAVAILABLE" },
  timeout: { status: 504, name: "DEADLINE_EXCEEDED" },
};

/** The body of an error response, and the data of an error inside a stream. */
export function googleErrorBody(
  kind: ErrorKind,
  { message, param }: Finding,
): { readonly error: { readonly code: number; readonly message: string; readonly status: string; readonly details?: readonly object[] } } {
  const { status, name } = GOOGLE_ERRORS[kind];
  if (kind === "authentication") {
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" }];
    return { error: { code: status, message, status: name, details } };
  }
  if (param === undefined) return { error: { code: status, message, status: name } };
  const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: param, description: message }] }];
  return { error: { code: status, message, status: name, details } };
}
