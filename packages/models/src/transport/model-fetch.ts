import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelError } from "@factotum/agent-contract";
import { classifyVendorError } from "../errors/classify-vendor-error.ts";
import { createModelError, createOversizeError, type ErrorContext } from "../errors/create-model-error.ts";
import { readRetryAfter } from "../errors/retry-after.ts";
import { parseVendorError, type VendorError } from "../errors/vendor-error.ts";
import { type BodyLimits, createBodyCheck } from "./body-limits.ts";
import type { HttpFetch } from "./http-fetch.ts";

/** A longer error body is a page, not a message. */
const LONGEST_ERROR_BYTES = 64 * 1024;

const CREDENTIAL_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];

/** Placeholder for a missing key; its header is never sent. */
export const NO_API_KEY = "none";

/** Options of the fetch of one client. */
export interface ModelFetchOptions {
  readonly fetch: HttpFetch;
  readonly hasCredential: boolean;
  readonly now: () => number;
  readonly errors: ErrorContext;
  readonly limits: BodyLimits;
  /** Called when the response's headers arrive, in the context of its request. */
  readonly onAnswer: () => void;
}

/**
 * The `fetch` passed to the SDK. It follows no redirect (a key must not reach another host), sends no placeholder credential, turns every answer that is not an
 * event stream into a `ModelError`, and ends one that exceeds its limits, for all wire formats.
 */
export function createModelFetch(options: ModelFetchOptions): typeof fetch {
  const { errors, limits } = options;
  const toError = (limit: keyof BodyLimits): ModelError => {
    const subject = limit === "maxEventBytes" ? "an event" : "an answer";
    return createOversizeError(`${subject} of more than ${limits[limit] / 1024 ** 2} MiB`, errors);
  };
  return async (input, init) => {
    const given = { ...init, redirect: "manual", checkBody: createBodyCheck(options.limits, toError) } as const;
    const response = await options.fetch(input, options.hasCredential ? given : { ...given, headers: withoutCredential(init?.headers) });
    options.onAnswer();
    if (!response.ok) throw await toHttpError(response, options);
    const kind = response.headers.get("content-type") ?? "";
    if (/\b(?:text\/html|application\/(?:problem\+)?json)\b/i.test(kind)) throw await toContentError(response, kind, options);
    return response;
  };
}

/** The headers without any that carries a credential. */
export function withoutCredential(given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  for (const name of CREDENTIAL_HEADERS) headers.delete(name);
  return headers;
}

/** The error of a refusal or a redirect. */
export async function toHttpError(response: Response, options: Pick<ModelFetchOptions, "errors" | "now">): Promise<ModelError> {
  const { status } = response;
  if (status < 400) {
    await response.body?.cancel();
    const place = response.headers.get("location") ?? "another address";
    return createModelError("invalid-request", { status, said: `it redirects to ${place}; set baseUrl to that address` }, options.errors);
  }
  const vendor = await readVendorError(response);
  const retryAfterMs = readRetryAfter(response.headers, options.now()) ?? vendor.retryAfterMs;
  return createModelError(
    classifyVendorError(vendor, status),
    {
      status,
      said: vendor.message ?? (response.statusText === "" ? "no reason given" : response.statusText),
      ...withoutUndefined({ retryAfterMs }),
    },
    options.errors,
  );
}

/** A success that is not a stream: a gateway's error in disguise, or the wrong address. */
async function toContentError(response: Response, kind: string, options: ModelFetchOptions): Promise<ModelError> {
  const vendor = await readVendorError(response);
  if (vendor.message !== undefined)
    return createModelError(classifyVendorError(vendor, undefined), { said: vendor.message }, options.errors);
  const said = `it sent ${kind.split(";", 1)[0] ?? kind} in place of a stream; check that baseUrl (${options.errors.baseUrl}) is the API's address`;
  return createModelError("truncated", { said }, options.errors);
}

async function readVendorError(response: Response): Promise<VendorError> {
  const text = await readStart(response);
  try {
    return parseVendorError(JSON.parse(text)) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A proxy's page or plain text: show it if it is short.
    return /^\s*</.test(text) || text.trim() === "" || text.length > 500 ? {} : { message: text.trim() };
  }
}

async function readStart(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes >= LONGEST_ERROR_BYTES) break;
  }
  return text;
}
