import type { HttpAnswer, HttpClient, HttpLimits } from "./http-client.ts";
import { PlatformFailure } from "./platform-failure.ts";

/** What the requests of an SDK get in addition. */
export interface SdkFetchOptions extends HttpLimits {
  /** Called with each response before the SDK gets it. What it throws is the result of the request, such as a failure that the SDK would repeat or hide. */
  readonly inspect?: (answer: HttpAnswer) => void;
}

/** A signal as older libraries define it, which the standard `fetch` refuses. */
interface SignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Statuses of responses that have no body. */
const EMPTY: readonly number[] = [204, 205, 304];

/**
 * A `fetch` for an SDK, on a client: its requests have the client's limits and failures, and end with its own signal or the given one. Accepts what SDKs pass
 * beyond the standard: signals of another implementation, streams without `duplex`, options of other HTTP libraries (dropped).
 */
export function createSdkFetch(http: HttpClient, { signal, inspect, ...limits }: SdkFetchOptions): typeof fetch {
  return async (input, init = {}) => {
    const { url, ...own } = partsOf(input, init);
    using ending = bridgeSignal(own.signal);
    const signals = [signal, ...(ending.signal === undefined ? [] : [ending.signal])];
    const answer = await http(url, requestOf(own), { ...limits, signal: AbortSignal.any(signals) });
    inspect?.(answer);
    const { status, headers, bytes } = answer;
    // A status that a response cannot have is the platform's fault.
    if (status < 200 || status > 599) throw new PlatformFailure({ type: "no-answer" }, `the answer has the status ${status}`);
    return new Response(EMPTY.includes(status) ? null : bytes, { status, headers });
  };
}

interface RequestParts {
  readonly url: string | URL;
  readonly method?: string | undefined;
  readonly headers?: RequestInit["headers"] | undefined;
  readonly body?: unknown;
  readonly signal?: SignalLike | null | undefined;
}

function partsOf(input: string | URL | Request, init: RequestInit): RequestParts {
  const { method, headers, body, signal } = init;
  if (typeof input === "string" || input instanceof URL) return { url: input, method, headers, body, signal };
  return {
    url: input.url,
    method: method ?? input.method,
    headers: headers ?? input.headers,
    body: body ?? input.body,
    signal: signal ?? input.signal,
  };
}

function requestOf({ method, headers, body }: Omit<RequestParts, "url">): RequestInit {
  const isStream = typeof body === "object" && body !== null && Symbol.asyncIterator in body;
  const init = {
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && body !== null && { body }),
    ...(isStream && { duplex: "half" }),
  };
  // The body is what the SDK passes; `fetch` checks it.
  return init as RequestInit;
}

function bridgeSignal(signal: SignalLike | null | undefined): Disposable & { readonly signal: AbortSignal | undefined } {
  if (signal === undefined || signal === null || signal instanceof AbortSignal)
    return { signal: signal ?? undefined, [Symbol.dispose]: () => undefined };
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);
  return { signal: controller.signal, [Symbol.dispose]: () => signal.removeEventListener("abort", onAbort) };
}
