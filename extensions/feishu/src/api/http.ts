import type { Clock } from "@factotum/channel-contract";
import { errorCodeOf, networkFailureOf, readBodyCapped } from "@factotum/channel-kit";
import * as z from "zod";
import { FeishuFailure } from "../errors.ts";
import type { SdkHttp } from "./load-sdk.ts";

/** What one request may carry beyond the SDK's own options. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, string | number | undefined>>;
  readonly data?: unknown;
  /** What is expected; a file comes as bytes. */
  readonly responseType?: "arraybuffer" | "json";
  /** Longest answer, in bytes; 1 MiB by default. */
  readonly maxContentLength?: number;
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Bytes of a file and what the platform says of them. */
export interface FileAnswer {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly contentDisposition: string;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1024 * 1024;

const AnswerSchema = z.looseObject({ code: z.number(), msg: z.string().optional() });
const ViolationsSchema = z.looseObject({
  error: z.looseObject({ permission_violations: z.array(z.looseObject({ subject: z.string().regex(/^[\w.:-]{1,80}$/) })).max(20) }),
});

/**
 * The SDK's HTTP on the host's `fetch`: every request has a signal, a time limit and a limit on its answer, follows no redirect, and fails with a
 * `FeishuFailure` that tells a no from silence. The SDK's own transport can do none of that, and its errors carry the secret.
 */
export function createHttp(options: { readonly fetch: typeof fetch; readonly clock: Clock; readonly throwOnCode: boolean }): SdkHttp {
  const send = async (request: HttpRequest): Promise<unknown> => {
    using deadline = startDeadline(request, options.clock);
    const response = await fetchOnce(options.fetch, request, deadline.signal);
    const body = await readAnswer(response, request, deadline.signal);
    if (request.responseType === "arraybuffer" && response.ok && !isJson(response)) return fileAnswer(response, body);
    return parseAnswer(response, body, options.throwOnCode);
  };
  const withBody = (method: string) => (url: string, data?: unknown, more?: object) => send({ ...more, url, method, data });
  const withoutBody = (method: string) => (url: string, more?: object) => send({ ...more, url, method });
  const http = {
    request: (request: HttpRequest) => send(request),
    get: withoutBody("GET"),
    delete: withoutBody("DELETE"),
    head: withoutBody("HEAD"),
    options: withoutBody("OPTIONS"),
    post: withBody("POST"),
    put: withBody("PUT"),
    patch: withBody("PATCH"),
  };
  // The SDK's type lets every caller name the answer's type; what it really is, is checked where it is used.
  return http as unknown as SdkHttp;
}

function startDeadline(request: HttpRequest, clock: Clock): Disposable & { readonly signal: AbortSignal } {
  const timeout = new AbortController();
  const timer = clock.schedule(request.timeout ?? DEFAULT_TIMEOUT_MS, () => timeout.abort(new Error("Feishu did not answer in time")));
  const signal = request.signal === undefined ? timeout.signal : AbortSignal.any([request.signal, timeout.signal]);
  return { signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

async function fetchOnce(fetchNow: typeof fetch, request: HttpRequest, signal: AbortSignal): Promise<Response> {
  if (signal.aborted) throw new FeishuFailure({ type: "not-sent" }, "the call was ended before it left", { cause: signal.reason });
  try {
    return await fetchNow(...requestOf(request, signal));
  } catch (cause) {
    const failure = networkFailureOf(cause);
    if (failure === "local") throw new FeishuFailure({ type: "local" }, `the request could not be made: ${reasonOf(cause)}`, { cause });
    const type = !signal.aborted && failure === "not-sent" ? "not-sent" : "no-answer";
    const what = type === "not-sent" ? "could not connect to" : "no answer from";
    throw new FeishuFailure({ type }, `${what} ${new URL(request.url).host}: ${reasonOf(cause)}`, { cause });
  }
}

function requestOf(request: HttpRequest, signal: AbortSignal): [url: URL, init: RequestInit] {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(request.params ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
  const method = (request.method ?? "GET").toUpperCase();
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers ?? {}))
    if (typeof value === "string" && value !== "") headers.set(name, value);
  const hasBody = request.data !== undefined && method !== "GET" && method !== "HEAD";
  const body = hasBody ? bodyOf(request.data, headers) : undefined;
  return [url, { method, headers, signal, redirect: "error", ...(body !== undefined && { body }) }];
}

/** A form where the request says so, which names its own boundary; else JSON. */
function bodyOf(data: unknown, headers: Headers): string | FormData {
  if (headers.get("content-type")?.startsWith("multipart/form-data") !== true) {
    headers.set("content-type", "application/json; charset=utf-8");
    return JSON.stringify(data);
  }
  headers.delete("content-type");
  const form = new FormData();
  for (const [name, value] of Object.entries(data as Readonly<Record<string, unknown>>)) {
    if (value instanceof File) form.append(name, value, value.name);
    else form.append(name, String(value));
  }
  return form;
}

async function readAnswer(response: Response, request: HttpRequest, signal: AbortSignal): Promise<Uint8Array> {
  const maxBytes = request.maxContentLength ?? DEFAULT_MAX_BYTES;
  const body = await readBodyCapped(response, { maxBytes, signal }).catch((cause: unknown) => {
    throw new FeishuFailure({ type: "no-answer" }, `the answer broke off: ${reasonOf(cause)}`, { cause });
  });
  if (body.type === "too-large") throw new FeishuFailure({ type: "http", status: 413 }, `the answer is larger than ${maxBytes} bytes`);
  return body.bytes;
}

function parseAnswer(response: Response, body: Uint8Array, throwOnCode: boolean): unknown {
  const retryAfterMs = retryDelay(response.headers);
  const answer = AnswerSchema.safeParse(parseJson(body));
  if (!answer.success) {
    if (response.ok) throw new FeishuFailure({ type: "no-answer" }, "the answer is not the platform's JSON", { cause: answer.error });
    throw new FeishuFailure(
      { type: "http", status: response.status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
      `HTTP ${response.status}`,
    );
  }
  const { code, msg = "" } = answer.data;
  if (code !== 0 && throwOnCode) {
    const violations = ViolationsSchema.safeParse(answer.data);
    const reason = {
      type: "refused",
      code,
      status: response.status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(violations.success && { scopes: violations.data.error.permission_violations.map(({ subject }) => subject) }),
    } as const;
    throw new FeishuFailure(reason, `Feishu answered ${code}: ${msg.slice(0, 300)}`);
  }
  return answer.data;
}

function fileAnswer(response: Response, bytes: Uint8Array): FileAnswer {
  return {
    bytes,
    contentType: response.headers.get("content-type") ?? "application/octet-stream",
    contentDisposition: response.headers.get("content-disposition") ?? "",
  };
}

function isJson(response: Response): boolean {
  return (
    response.headers.get("content-type")?.startsWith("application/json") === true && response.headers.get("content-disposition") === null
  );
}

/** Seconds until the limit ends, as the platform's gateway or a proxy says it. */
function retryDelay(headers: Headers): number | undefined {
  const seconds = Number(headers.get("x-ogw-ratelimit-reset") ?? headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : undefined;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8").decode(body));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function reasonOf(error: unknown): string {
  return errorCodeOf(error) || (error instanceof Error ? error.message : "unknown");
}
