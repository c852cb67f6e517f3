import { ModelError, type ModelErrorCode, withoutUndefined } from "@factotum/agent-contract";
import { classifyVendorError } from "./classify-vendor-error.ts";
import { createModelError, type ErrorContext } from "./create-model-error.ts";
import { asRecord, parseVendorError } from "./vendor-error.ts";

const NETWORK_CODE =
  /^(?:E[A-Z][A-Z_]{2,}|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_[A-Z_]+|UNABLE_TO_[A-Z_]+|ERR_[A-Z_]+)$/;
/** Retrying does not fix a bad certificate. */
const CERTIFICATE_CODE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;
const TIMEOUT_CODE = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

/** What the SDK throws or streams if the response cannot be read. */
const UNREADABLE = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_NoContentGeneratedError",
]);

/** The text for a stream that closed before the provider declared a finish. */
export const STREAM_ENDED_EARLY = "the stream ended before the answer was complete";

/** What the SDK throws before it sends anything. */
const UNSENDABLE = new Set(["AI_UnsupportedFunctionalityError", "AI_InvalidArgumentError", "AI_InvalidPromptError", "AI_LoadAPIKeyError"]);

/**
 * Maps any error that the SDK threw or streamed to a `ModelError`, by its shape: classes differ between copies of the SDK, some errors are plain objects, a cut
 * socket carries status 200. Copies single fields and never keeps the original as cause, since that contains the whole prompt.
 */
export function toModelError(failure: unknown, context: ErrorContext, options: { readonly answered: boolean }): ModelError {
  const own = findModelError(failure);
  if (own !== undefined) return own;
  const network = findNetworkCode(failure);
  if (network !== undefined) {
    const code = TIMEOUT_CODE.test(network) ? "timeout" : options.answered ? "truncated" : "unreachable";
    return createModelError(
      code,
      { said: network, ...(CERTIFICATE_CODE.test(network) ? { final: true } : {}), cause: new Error(network) },
      context,
    );
  }
  const fields = asRecord(failure) ?? {};
  const name = typeof fields.name === "string" ? fields.name : "";
  if (UNSENDABLE.has(name)) return make("invalid-request", failure, context);
  const vendor = UNREADABLE.has(name) ? parseVendorError(fields.value) : parseStreamError(fields);
  if (vendor !== undefined) {
    const status = typeof fields.statusCode === "number" ? fields.statusCode : undefined;
    const shown = status !== undefined && status >= 300 ? status : vendor.status;
    return createModelError(
      classifyVendorError(vendor, status),
      {
        ...withoutUndefined({ said: vendor.message, status: shown, retryAfterMs: vendor.retryAfterMs }),
      },
      context,
    );
  }
  if (UNREADABLE.has(name)) {
    const said = isMissingFinish(fields) ? STREAM_ENDED_EARLY : "it sent a frame that cannot be read";
    return createModelError("truncated", { said, cause: new Error(name) }, context);
  }
  return make("truncated", failure, context);
}

/** The SDK's own stream errors have the frame in `data`; an API error has the body as text; otherwise the value is the frame itself. */
function parseStreamError(fields: Readonly<Record<string, unknown>>): ReturnType<typeof parseVendorError> {
  if (fields.name === "AI_APICallError") {
    const body = typeof fields.responseBody === "string" ? parseJson(fields.responseBody) : undefined;
    return parseVendorError(fields.data) ?? parseVendorError(body);
  }
  if (fields.data !== undefined) return parseVendorError(fields.data) ?? parseVendorError(fields);
  return fields instanceof Error ? undefined : parseVendorError(fields);
}

/** The SDK reports a stream without a finish reason as invalid data, but without any data. */
function isMissingFinish({ name, data }: Readonly<Record<string, unknown>>): boolean {
  return name === "AI_InvalidResponseDataError" && data === undefined;
}

function make(code: ModelErrorCode, failure: unknown, context: ErrorContext): ModelError {
  const name = failure instanceof Error ? failure.name : typeof failure;
  return createModelError(code, { cause: new Error(name) }, context);
}

/** The SDK wraps an error of the body in its own error. */
function findModelError(failure: unknown): ModelError | undefined {
  let current: unknown = failure;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (ModelError.isInstance(current)) return current;
    current = current.cause;
  }
  return undefined;
}

function findNetworkCode(failure: unknown): string | undefined {
  let current: unknown = failure;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code: unknown = "code" in current ? current.code : undefined;
    if (typeof code === "string" && NETWORK_CODE.test(code)) return code;
    if (current.message === "terminated" || current.message === "other side closed") return "ECONNRESET";
    current = current.cause;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // A body that is not JSON (a proxy's page) cannot be classified.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
