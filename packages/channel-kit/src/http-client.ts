import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { errorCodeOf, networkFailureOf } from "./network-failure.ts";
import { PlatformFailure } from "./platform-failure.ts";
import { readBodyCapped } from "./read-body-capped.ts";

/** A complete response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Limits of one request. */
export interface HttpLimits extends CallOptions {
  /** Milliseconds until the response must be complete; 15,000 by default. */
  readonly timeoutMs?: number;
  /** Bytes of the response; 4 MiB by default. */
  readonly maxBytes?: number;
  /** A larger response is no failure and counts as empty: its status alone decides, as after a send. */
  readonly dropsLargeBody?: boolean;
}

/** One HTTP request, not repeated. Resolves with a response of any status; rejects with a `PlatformFailure`. */
export type HttpClient = (url: string | URL, init: RequestInit, limits: HttpLimits) => Promise<HttpAnswer>;

/** How a client behaves. */
export interface HttpClientOptions {
  /** Name of the platform, for messages. */
  readonly platform: string;
  /** A redirect is a response of its own (by default) or a failure; none is followed, since the request has a secret. */
  readonly redirect?: "manual" | "error";
}

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** Creates a client on the host's `fetch`: each request has a time limit and a limit on its response, and tells a refused connection from silence. */
export function createHttpClient(
  { fetch: fetchNow, clock }: Pick<ChannelHost, "fetch" | "clock">,
  { platform, redirect = "manual" }: HttpClientOptions,
): HttpClient {
  return async (url, init, { signal: ends, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, dropsLargeBody = false }) => {
    const timeout = new AbortController();
    using _timer = clock.schedule(timeoutMs, () => timeout.abort(new Error(`${platform} did not answer in time`)));
    const signal = AbortSignal.any([ends, timeout.signal]);
    if (signal.aborted) throw new PlatformFailure({ type: "not-sent" }, "the call was ended before it left", { cause: signal.reason });
    const response = await fetchNow(url, { ...init, signal, redirect }).catch((cause: unknown) => {
      const failure = networkFailureOf(cause);
      if (failure === "local") throw new PlatformFailure({ type: "local" }, `the request could not be made: ${reasonOf(cause)}`, { cause });
      const type = !signal.aborted && failure === "not-sent" ? "not-sent" : "no-answer";
      const { host } = new URL(url);
      const reason = reasonOf(cause);
      const message = type === "not-sent" ? `could not connect to ${host}: ${reason}` : `no answer from ${host}: ${reason}`;
      throw new PlatformFailure({ type }, message, { cause });
    });
    const body = await readBodyCapped(response, { maxBytes, signal }).catch((cause: unknown) => {
      throw new PlatformFailure({ type: "no-answer" }, `the answer broke off: ${reasonOf(cause)}`, { cause });
    });
    if (body.type === "too-large" && dropsLargeBody) return { status: response.status, headers: response.headers, bytes: new Uint8Array() };
    if (body.type === "too-large") throw new PlatformFailure({ type: "http", status: 413 }, `the answer is larger than ${maxBytes} bytes`);
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(body.bytes) };
  };
}

function reasonOf(error: unknown): string {
  return errorCodeOf(error) || (error instanceof Error ? error.message : "unknown");
}
