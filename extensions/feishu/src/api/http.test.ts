import type { PlatformFailureReason } from "@factotum/channel-kit";
import { PlatformFailure } from "@factotum/channel-kit";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createHttp } from "./http.ts";
import type { FileAnswer, HttpRequest } from "./http.ts";

const clock = new ManualClock();
const answering = (response: () => Response | Promise<Response>, throwOnCode = true): ((request: HttpRequest) => Promise<unknown>) => {
  const http = createHttp({ fetch: () => Promise.resolve(response()), clock, throwOnCode });
  return (request) => http.request(request as never);
};
const reasonOf = async (promise: Promise<unknown>): Promise<PlatformFailureReason> => {
  const error: unknown = await promise.then(
    () => new Error("it did not fail"),
    (failure: unknown) => failure,
  );
  if (error instanceof PlatformFailure) return error.reason;
  throw error;
};
const url = "http://127.0.0.1/open-apis/x";

test("sends the query, the body as JSON, and headers that have a value; follows no redirect", async () => {
  let seen: { url: string; init: RequestInit } | undefined;
  const spy: typeof fetch = (target, init = {}) => {
    seen = { url: new Request(target).url, init };
    return Promise.resolve(Response.json({ code: 0 }));
  };
  const http = createHttp({ fetch: spy, clock, throwOnCode: true });
  await http.request({
    url,
    method: "post",
    params: { a: "1 2" },
    data: { b: "ü" },
    headers: { authorization: "Bearer x", empty: "", none: undefined },
  });
  expect(seen?.url).toBe(`${url}?a=1+2`);
  expect(seen?.init).toMatchObject({ method: "POST", redirect: "error", body: '{"b":"ü"}' });
  expect([...new Headers(seen?.init.headers)]).toEqual([
    ["authorization", "Bearer x"],
    ["content-type", "application/json; charset=utf-8"],
  ]);
});

test.each<[string, () => Response, PlatformFailureReason]>([
  ["a code", () => Response.json({ code: 230001, msg: "no" }, { status: 400 }), { type: "refused", code: "230001", status: 400 }],
  ["a code with 200", () => Response.json({ code: 10014, msg: "no" }), { type: "refused", code: "10014", status: 200 }],
  [
    "a limit",
    () => Response.json({ code: 99991400, msg: "no" }, { status: 429, headers: { "x-ogw-ratelimit-reset": "3" } }),
    { type: "refused", code: "99991400", status: 429, retryAfterMs: 3_000 },
  ],
  [
    "a proxy's page",
    () => new Response("<html>", { status: 503, headers: { "retry-after": "2" } }),
    { type: "http", status: 503, retryAfterMs: 2_000 },
  ],
  [
    "a retry-after that is a date",
    () => new Response("", { status: 503, headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } }),
    { type: "http", status: 503 },
  ],
  ["no JSON", () => new Response("{"), { type: "no-answer" }],
  ["JSON without a code", () => Response.json({ ok: true }), { type: "no-answer" }],
  ["an answer over a mebibyte", () => new Response("x".repeat(1024 * 1024 + 1)), { type: "http", status: 413 }],
])("%s", async (_, response, reason) => {
  expect(await reasonOf(answering(response)({ url }))).toEqual(reason);
});

test("codes are handed on where the caller reads them", async () => {
  expect(await answering(() => Response.json({ code: 514, msg: "no" }), false)({ url })).toEqual({ code: 514, msg: "no" });
});

test.each([
  ["ECONNREFUSED", "not-sent"],
  ["ENOTFOUND", "not-sent"],
  ["UND_ERR_CONNECT_TIMEOUT", "not-sent"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "not-sent"],
  ["ECONNRESET", "no-answer"],
  ["UND_ERR_SOCKET", "no-answer"],
  ["UND_ERR_HEADERS_TIMEOUT", "no-answer"],
])("%s is %s", async (code, type) => {
  const failing = answering(() => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })));
  expect((await reasonOf(failing({ url }))).type).toBe(type);
});

test("a request whose signal has fired does not leave; one that is ended on the way may have arrived", async () => {
  const abort = new AbortController();
  const hanging = createHttp({
    fetch: (_, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    clock,
    throwOnCode: true,
  });
  const running = reasonOf(hanging.request({ url, signal: abort.signal } as never));
  abort.abort();
  expect(await running).toEqual({ type: "no-answer" });
  expect(await reasonOf(hanging.request({ url, signal: abort.signal } as never))).toEqual({ type: "not-sent" });
});

test("a request without an answer ends after fifteen seconds, and no timer is left of any", async () => {
  const hanging = createHttp({
    fetch: (_, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    clock,
    throwOnCode: true,
  });
  const running = reasonOf(hanging.request({ url }));
  clock.advance(14_999);
  expect(clock.pending).toEqual([1]);
  clock.advance(1);
  expect(await running).toEqual({ type: "no-answer" });
  expect(clock.pending).toEqual([]);
});

test("a file comes as bytes, at most as many as wanted", async () => {
  const file = (): Response => new Response("12345", { headers: { "content-type": "text/plain", "content-disposition": "attachment" } });
  const { bytes, contentType } = (await answering(file)({ url, responseType: "arraybuffer", maxContentLength: 5 })) as FileAnswer;
  expect(Buffer.from(bytes).toString()).toBe("12345");
  expect(contentType).toBe("text/plain");
  expect(await reasonOf(answering(file)({ url, responseType: "arraybuffer", maxContentLength: 4 }))).toEqual({ type: "http", status: 413 });
});

test("a no instead of a file is a no, and a JSON file is a file", async () => {
  const no = answering(() => Response.json({ code: 234003, msg: "File not in msg." }, { status: 400 }));
  expect(await reasonOf(no({ url, responseType: "arraybuffer" }))).toMatchObject({ type: "refused", code: "234003" });
  const json = answering(() => Response.json({ code: 7 }, { headers: { "content-disposition": "attachment" } }));
  expect(Buffer.from(((await json({ url, responseType: "arraybuffer" })) as FileAnswer).bytes).toString()).toBe('{"code":7}');
});
