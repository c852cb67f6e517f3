import { withoutUndefined } from "@factotum/agent-contract";
/** A provider's failure, normalised. */
export interface VendorError {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  /** An HTTP status in the body. */
  readonly status?: number;
  /** A delay in the body, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * Reads the error bodies and error frames of the five wire formats: `{error: {…}}`, `{error: "…"}`, `{type: "error", …}`, `{object: "error", …}`, `{response:
 * {error}}`, `{detail: …}`, and the SDK's stream errors, which carry the frame in `data`. `undefined` if the value is not an error.
 */
export function parseVendorError(value: unknown): VendorError | undefined {
  const outer = Array.isArray(value) ? asRecord(value[0]) : asRecord(value);
  if (outer === undefined) return undefined;
  if (typeof outer.error === "string") return { message: outer.error };
  const inner = asRecord(outer.error) ?? asRecord(asRecord(outer.response)?.error) ?? outer;
  const fields = readFields(inner);
  if (fields !== undefined) return fields;
  if (typeof outer.detail === "string") return { message: outer.detail };
  return outer.detail === undefined ? undefined : { message: JSON.stringify(outer.detail) };
}

function readFields(value: Readonly<Record<string, unknown>>): VendorError | undefined {
  const message = readText(value.message);
  const type = readText(value.status) ?? readText(value.type);
  const code = readCode(value.code);
  if (message === undefined && code === undefined && type !== "error") return undefined;
  const status = readStatus(value.statusCode) ?? readStatus(value.code);
  const retryAfterMs = readRetryDelay(value.details);
  return {
    ...withoutUndefined({ message, type, code, status, retryAfterMs }),
  };
}

/** Google gives the delay in a list of details: `{"@type": "…RetryInfo", "retryDelay": "37s"}`. */
function readRetryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(readText(asRecord(detail)?.retryDelay) ?? "")?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readCode(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : readText(value);
}

function readStatus(value: unknown): number | undefined {
  const status = typeof value === "string" ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 300 && status <= 599 ? status : undefined;
}

/** The value as an object, or undefined. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
