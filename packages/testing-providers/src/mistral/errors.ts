import type { Finding } from "../strict/rule.ts";
import type { ErrorKind } from "../strict/scripted-reply.ts";

/** The vendor's HTTP status, type and code of each kind. */
export const MISTRAL_ERRORS: Readonly<Record<ErrorKind, { readonly status: number; readonly type: string; readonly code: string | null }>> =
  {
    "invalid-request": { status: 400, type: "invalid_request_error", code: null },
    authentication: { status: 401, type: "unauthorized", code: null },
    permission: { status: 403, type: "forbidden", code: null },
    "not-found": { status: 404, type: "not_found", code: null },
    "request-too-large": { status: 413, type: "invalid_request_error", code: null },
    "rate-limit": { status: 429, type: "rate_limited", code: "1300" },
    quota: { status: 429, type: "service_tier_capacity_exceeded", code: "3505" },
    server: { status: 500, type: "internal_server_error", code: "1000" },
    overloaded: { status: 503, type: "unreachable_backend", code: "1100" },
    timeout: { status: 504, type: "gateway_timeout", code: null },
  };

/** Error types by the vendor's codes. */
const TYPES: Readonly<Record<string, string>> = {
  "1500": "invalid_model",
  "3051": "invalid_request_prompt",
  "3230": "invalid_request_message_order",
  "3240": "invalid_request_assistant_message",
  "3250": "invalid_request_tool_message",
  "3260": "invalid_request_tool",
  "3270": "invalid_request_tool_schema",
  "3280": "invalid_function_call",
  "3310": "invalid_request_file",
};

/** A refusal of the shape is a list with one detail, written as the vendor's validator writes it. */
function shapeDetail({ message, param = "" }: Finding): object {
  return { detail: [{ type: "value_error", loc: param.split("."), msg: message }] };
}

/** The body of an error response, and the data of an error inside a stream. A wrong key has a body of its own. */
export function mistralErrorBody(
  kind: ErrorKind,
  finding: Finding & { readonly code?: string | undefined; readonly status?: number | undefined },
): object {
  const facts = MISTRAL_ERRORS[kind];
  if (kind === "authentication") return { detail: finding.message };
  const code = finding.code ?? facts.code;
  const message = finding.status === 422 ? shapeDetail(finding) : finding.message;
  return { object: "error", message, type: TYPES[code ?? ""] ?? facts.type, param: null, code };
}
