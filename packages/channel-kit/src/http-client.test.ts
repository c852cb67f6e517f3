import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createHttpClient, createSdkFetch, PlatformFailure, platformFailureIn } from "./index.ts";
import type { HttpClient } from "./index.ts";

const { signal } = new AbortController();
const url = "https://chat.example/api";
const clock = new ManualClock();
const client = (fetchNow: typeof fetch): HttpClient => createHttpClient({ fetch: fetchNow, clock }, { platform: "Chat" });
const answering = (response: () => Response): HttpClient => client(async () => Promise.resolve(response()));
const failing = (code: string): HttpClient =>
  client(async () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })));
const hanging: HttpClient = client(
  async (_, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
);

test("a response of any status is a result, and no redirect is followed", async () => {
  let redirect: string | undefined;
  const http = client(async (_, init) => {
    redirect = init?.redirect;
    return Promise.resolve(new Response("no", { status: 403, headers: { a: "b" } }));
  });
  const answer = await http(url, { method: "POST" }, { signal });
  expect({ ...answer, bytes: new TextDecoder().decode(answer.bytes), headers: answer.headers.get("a") }).toEqual({
    status: 403,
    headers: "b",
    bytes: "no",
  });
  expect(redirect).toBe("manual");
});

test.each([
  ["ECONNREFUSED", "not-sent"],
  ["ENOTFOUND", "not-sent"],
  ["ECONNRESET", "no-answer"],
  ["ERR_INVALID_ARG_TYPE", "local"],
])("%s is %s", async (code, type) => {
  await expect(failing(code)(url, {}, { signal })).rejects.toMatchObject({
    reason: { type },
    message: expect.stringContaining(code) as string,
  });
});

test("a response over the limit is a failure", async () => {
  const http = answering(() => new Response("12345"));
  await expect(http(url, {}, { signal, maxBytes: 4 })).rejects.toMatchObject({ reason: { type: "http", status: 413 } });
  expect((await http(url, {}, { signal, maxBytes: 5 })).bytes).toHaveLength(5);
  expect(await http(url, {}, { signal, maxBytes: 4, dropsLargeBody: true })).toMatchObject({ status: 200, bytes: { length: 0 } });
});

test("a request without a response ends after its time, and leaves no timer", async () => {
  const running = hanging(url, {}, { signal, timeoutMs: 5_000 });
  expect(clock.pending).toEqual([5_000]);
  clock.advance(5_000);
  await expect(running).rejects.toMatchObject({ reason: { type: "no-answer" } });
  expect(clock.pending).toEqual([]);
});

test("a request whose signal has fired does not leave; one that is aborted later may have arrived", async () => {
  const abort = new AbortController();
  const running = hanging(url, {}, { signal: abort.signal });
  abort.abort();
  await expect(running).rejects.toMatchObject({ reason: { type: "no-answer" } });
  await expect(hanging(url, {}, { signal: abort.signal })).rejects.toMatchObject({ reason: { type: "not-sent" } });
});

/** A signal of another implementation, as older libraries bring along. */
class ForeignController {
  readonly listeners = new Set<() => void>();
  readonly signal = {
    aborted: false,
    addEventListener: (_: string, listener: () => void): void => void this.listeners.add(listener),
    removeEventListener: (_: string, listener: () => void): void => void this.listeners.delete(listener),
  };
  abort(): void {
    this.signal.aborted = true;
    for (const listener of this.listeners) listener();
  }
}

test("an SDK gets a standard response", async () => {
  const seen: Request[] = [];
  const http = client(async (input, init) => {
    seen.push(new Request(input, init));
    return Promise.resolve(Response.json({ ok: true }, { status: 201, headers: { a: "b" } }));
  });
  const sdkFetch = createSdkFetch(http, { signal });
  // Options of another HTTP library, and a body that is a stream of chunks.
  const body = (async function* chunks() {
    yield await Promise.resolve(Buffer.from("one "));
    yield Buffer.from("two");
  })();
  const init = { method: "post", headers: { x: "y" }, body, agent: {}, compress: true } as unknown as RequestInit;
  const response = await sdkFetch(url, init);
  expect([response.status, response.headers.get("a"), await response.json()]).toEqual([201, "b", { ok: true }]);
  expect([seen[0]?.method, seen[0]?.headers.get("x"), await seen[0]?.text()]).toEqual(["POST", "y", "one two"]);
  expect((await sdkFetch(new Request(url, { method: "PUT", body: "three" }))).ok).toBe(true);
  expect([seen[1]?.method, await seen[1]?.text()]).toEqual(["PUT", "three"]);
});

test("a response without a body stays without one", async () => {
  const response = await createSdkFetch(
    answering(() => new Response(null, { status: 204 })),
    { signal },
  )(url);
  expect([response.status, response.body]).toEqual([204, null]);
});

test("an SDK's own signal ends a request, also one of another implementation, and none keeps a listener", async () => {
  for (const controller of [new AbortController(), new ForeignController()]) {
    const running = createSdkFetch(hanging, { signal })(url, { signal: controller.signal as AbortSignal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ reason: { type: "no-answer" } });
    await expect(createSdkFetch(hanging, { signal })(url, { signal: controller.signal as AbortSignal })).rejects.toMatchObject({
      reason: { type: "not-sent" },
    });
    if (controller instanceof ForeignController) expect(controller.listeners.size).toBe(0);
  }
});

test("what the inspection throws is the result, and is found in the SDK's error", async () => {
  const failure = new PlatformFailure({ type: "http", status: 429 }, "too fast");
  const inspect = ({ status }: { readonly status: number }): void => {
    if (status === 429) throw failure;
  };
  const sdkFetch = createSdkFetch(
    answering(() => new Response("", { status: 429 })),
    { signal, inspect },
  );
  const error: unknown = await sdkFetch(url).catch((cause: unknown) => Object.assign(new Error("SDK"), { original: cause }));
  expect(platformFailureIn(error)).toBe(failure);
  expect(platformFailureIn(new Error("x", { cause: Object.assign(new Error("y"), { error: failure }) }))).toBe(failure);
  expect(platformFailureIn(new Error("another"))).toBeUndefined();
});
