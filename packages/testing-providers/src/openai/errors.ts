import type { Finding } from "../strict/rule.ts";
import type { ErrorKind } from "../strict/scripted-reply.ts";

interface ErrorFacts {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const INVALID = "invalid_request_error";

/** The vendor's documented status, type and code of each kind. */
export const OPENAI_ERRORS: Readonly<Record<ErrorKind, ErrorFacts>> = {
  "invalid-request": { status: 400, type: INVALID, code: null },
  authentication: { status: 401, type: INVALID, code: "invalid_api_key" },
  permission: { status: 403, type: INVALID, code: "unsupported_country_region_territory" },
  "not-found": { status: 404, type: INVALID, code: "model_not_found" },
  "request-too-large": { status: 413, type: INVALID, code: null },
  "rate-limit": { status: 429, type: "requests", code: "rate_limit_exceeded" },
  quota: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  server: { status: 500, type: "server_error", code: null },
  overloaded: { status: 503, type: "server_error", code: "server_is_overloaded" },
  timeout: { status: 504, type: "server_error", code: "timeout" },
};

/** The body of an error response. A rule's own code overrides that of its kind. */
export function openaiErrorBody(
  kind: ErrorKind,
  { message, param, code }: Finding & { readonly code?: string | undefined },
): { readonly error: { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string | null } } {
  const facts = OPENAI_ERRORS[kind];
  return { error: { message, type: facts.type, param: param ?? null, code: code ?? facts.code } };
}
