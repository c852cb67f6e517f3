import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { isLocalError, readBodyCapped } from "@factotum/channel-kit";
import { SlackFailure } from "../errors.ts";

/** Bytes of a response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Limits of one request. */
interface HttpOptions extends CallOptions {
  /** 15 seconds by default. */
  readonly timeoutMs?: number;
  /** Longest answer; 4 MiB by default. */
  readonly maxBytes?: number;
}

/** One HTTP request. Rejects with a SlackFailure. */
export type Http = (url: string | URL, init: RequestInit, options: HttpOptions) => Promise<HttpAnswer>;

const DEFAULT_TIMEOUT_MS = 15_000;
/** A page of the directory has up to 1,000 people. */
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** The connection was never there: nothing can have arrived. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_VERIFY\w*)$/;

/** Requests on the host's `fetch`: each has a time limit and a limit on its answer, follows no redirect, and tells a refused connection from silence. */
export function createHttp({ fetch: fetchNow, clock }: Pick<ChannelHost, "fetch" | "clock">): Http {
  return async (url, init, { signal: ends, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES }) => {
    const timeout = new AbortController();
    using _timer = clock.schedule(timeoutMs, () => timeout.abort(new Error("Slack did not answer in time")));
    const signal = AbortSignal.any([ends, timeout.signal]);
    if (signal.aborted) throw new SlackFailure({ type: "not-sent" }, "the call was ended before it left", { cause: signal.reason });
    const response = await fetchNow(url, { ...init, signal, redirect: "manual" }).catch((cause: unknown) => {
      if (isLocalError(cause)) throw new SlackFailure({ type: "local" }, `the request could not be made: ${reasonOf(cause)}`, { cause });
      const type = !signal.aborted && NOT_SENT.test(codeOf(cause)) ? "not-sent" : "no-answer";
      const what = type === "not-sent" ? "could not connect to" : "no answer from";
      throw new SlackFailure({ type }, `${what} ${new URL(url).host}: ${reasonOf(cause)}`, { cause });
    });
    const body = await readBodyCapped(response, { maxBytes, signal }).catch((cause: unknown) => {
      throw new SlackFailure({ type: "no-answer" }, `the answer broke off: ${reasonOf(cause)}`, { cause });
    });
    if (body.type === "too-large") throw new SlackFailure({ type: "http", status: 413 }, `the answer is larger than ${maxBytes} bytes`);
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(body.bytes) };
  };
}

function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if ("code" in at && typeof at.code === "string") return at.code;
  return "";
}

function reasonOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.message : "unknown");
}
