import type { Clock } from "@factotum/channel-contract";
import { createHttpClient, parseJson, PlatformFailure, retryAfterMs } from "@factotum/channel-kit";
import type { HttpAnswer } from "@factotum/channel-kit";
import * as z from "zod";
import { isMissingScope } from "../errors.ts";
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

const DEFAULT_MAX_BYTES = 1024 * 1024;

const AnswerSchema = z.looseObject({ code: z.number(), msg: z.string().optional() });
const ViolationsSchema = z.looseObject({
  error: z.looseObject({ permission_violations: z.array(z.looseObject({ subject: z.string().regex(/^[\w.:-]{1,80}$/) })).max(20) }),
});

/**
 * The SDK's HTTP on the host's `fetch`: every request has a signal, a time limit and a limit on its answer, follows no redirect, and fails with a
 * `PlatformFailure` that tells a no from silence. The SDK's own transport can do none of that, and its errors carry the secret.
 */
export function createHttp(options: { readonly fetch: typeof fetch; readonly clock: Clock; readonly throwOnCode: boolean }): SdkHttp {
  const client = createHttpClient(options, { platform: "Feishu", redirect: "error" });
  const send = async (request: HttpRequest): Promise<unknown> => {
    // Requests that the SDK makes on its own have no signal.
    const { signal = new AbortController().signal, timeout: timeoutMs, maxContentLength: maxBytes = DEFAULT_MAX_BYTES } = request;
    const answer = await client(...requestOf(request), { signal, maxBytes, ...(timeoutMs !== undefined && { timeoutMs }) });
    if (request.responseType === "arraybuffer" && isOk(answer) && !isJson(answer)) return fileAnswer(answer);
    return parseAnswer(answer, options.throwOnCode);
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

function requestOf(request: HttpRequest): [url: URL, init: RequestInit] {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(request.params ?? {})) if (value !== undefined) url.searchParams.set(name, String(value));
  const method = (request.method ?? "GET").toUpperCase();
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers ?? {}))
    if (typeof value === "string" && value !== "") headers.set(name, value);
  const hasBody = request.data !== undefined && method !== "GET" && method !== "HEAD";
  const body = hasBody ? bodyOf(request.data, headers) : undefined;
  return [url, { method, headers, ...(body !== undefined && { body }) }];
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

function parseAnswer(response: HttpAnswer, throwOnCode: boolean): unknown {
  // As the platform's gateway or a proxy says it.
  const delayMs = retryAfterMs(response.headers, ["x-ogw-ratelimit-reset", "retry-after"]);
  const delay = delayMs === undefined ? {} : { retryAfterMs: delayMs };
  const answer = AnswerSchema.safeParse(parseJson(response.bytes));
  if (!answer.success) {
    if (isOk(response)) throw new PlatformFailure({ type: "no-answer" }, "the answer is not the platform's JSON", { cause: answer.error });
    throw new PlatformFailure({ type: "http", status: response.status, ...delay }, `HTTP ${response.status}`);
  }
  const { code, msg = "" } = answer.data;
  if (code !== 0 && throwOnCode) {
    const violations = ViolationsSchema.safeParse(answer.data);
    const reason = {
      type: "refused",
      code: String(code),
      status: response.status,
      ...delay,
      ...(isMissingScope(code) && {
        scopes: violations.success ? violations.data.error.permission_violations.map(({ subject }) => subject) : [],
      }),
    } as const;
    throw new PlatformFailure(reason, `Feishu answered ${code}: ${msg.slice(0, 300)}`);
  }
  return answer.data;
}

function fileAnswer({ bytes, headers }: HttpAnswer): FileAnswer {
  return {
    bytes,
    contentType: headers.get("content-type") ?? "application/octet-stream",
    contentDisposition: headers.get("content-disposition") ?? "",
  };
}

function isOk({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

function isJson({ headers }: HttpAnswer): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true && headers.get("content-disposition") === null;
}
