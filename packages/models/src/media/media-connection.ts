import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { ModelApi, ModelCost, ModelErrorCode } from "@factotum/agent-contract";
import { normalizeBaseUrl } from "../base-url.ts";
import { createModelError, createOversizeError, type ErrorContext } from "../errors/create-model-error.ts";
import { toModelError } from "../errors/to-model-error.ts";
import type { HttpFetch } from "../transport/http-fetch.ts";
import { NO_API_KEY, toHttpError, withoutCredential } from "../transport/model-fetch.ts";

/** How to reach a model that takes or makes media: one provider with one credential. */
export interface MediaConnection {
  readonly provider: string;
  readonly model: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  /** Omitted for servers that need none. */
  readonly apiKey?: string;
  /** Where the key is configured, for error messages. */
  readonly keyPlace?: string;
  /** Dollars per million tokens, if the model is priced by tokens. */
  readonly cost?: ModelCost;
  readonly fetch: HttpFetch;
  /** Wall clock, for the delay that a provider requests. */
  readonly now: () => number;
}

/** What the SDK's providers are created with. */
export interface ProviderSettings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}

/**
 * Runs one request of a media model. Rejects with a `ModelError` whose message says what to do: for a refusal of the provider, a redirect, a web page in place of
 * an answer, an answer of more than `maxBytes`, and with the code `aborted` when the signal fires.
 */
export async function callMedia<Result>(
  connection: MediaConnection,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
  call: (settings: ProviderSettings) => Promise<Result>,
): Promise<Result> {
  const { api, apiKey } = connection;
  const baseURL = normalizeBaseUrl(connection.baseUrl, api);
  const errors = errorsOf(connection, baseURL);
  try {
    return await call({ baseURL, apiKey: apiKey ?? NO_API_KEY, fetch: createMediaFetch(connection, errors, options.maxBytes) });
  } catch (failure) {
    if (options.signal.aborted) throw new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: failure });
    throw toModelError(failure, errors, { answered: false });
  }
}

/** The error for a wire format without this kind of model, or for an answer without a result. */
export function mediaError(connection: MediaConnection, code: ModelErrorCode, said: string): ModelError {
  return createModelError(code, { said }, errorsOf(connection, connection.baseUrl));
}

function errorsOf({ provider, model, apiKey, keyPlace }: MediaConnection, baseUrl: string): ErrorContext {
  return { provider, model, baseUrl, secrets: apiKey === undefined ? [] : [apiKey], ...withoutUndefined({ keyPlace }) };
}

/** Follows no redirect, sends no placeholder credential, and accepts no page and no more than the limit. */
function createMediaFetch({ fetch, apiKey, now }: MediaConnection, errors: ErrorContext, maxBytes: number): typeof globalThis.fetch {
  return async (input, init) => {
    let received = 0;
    const checkBody = (bytes: Uint8Array): Error | undefined => {
      received += bytes.byteLength;
      return received > maxBytes
        ? createOversizeError(`an answer of more than ${Math.round(maxBytes / 1024 ** 2)} MiB`, errors)
        : undefined;
    };
    const given = { ...init, redirect: "manual", checkBody } as const;
    const response = await fetch(input, apiKey === undefined ? { ...given, headers: withoutCredential(init?.headers) } : given);
    if (!response.ok) throw await toHttpError(response, { errors, now });
    if (!/\btext\/html\b/i.test(response.headers.get("content-type") ?? "")) return response;
    await response.body?.cancel();
    const said = `it sent a web page; check that baseUrl (${errors.baseUrl}) is the API's address`;
    throw createModelError("truncated", { said }, errors);
  };
}
