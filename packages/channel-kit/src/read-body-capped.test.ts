import { expect, test } from "vitest";
import { readBodyCapped } from "./index.ts";

const post = (body: string | ReadableStream<Uint8Array>, headers?: Record<string, string>): Request =>
  new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half", ...(headers && { headers }) } as RequestInit);
const signal = new AbortController().signal;

/** An endless body that counts the bytes read of it. */
function endless(): { stream: ReadableStream<Uint8Array>; taken: () => number; cancelled: () => boolean } {
  let taken = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken += 1_000;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { stream, taken: () => taken, cancelled: () => cancelled };
}

test("returns the bytes up to the limit, and not one more", async () => {
  const body = await readBodyCapped(post("x".repeat(10)), { maxBytes: 10, signal });
  expect(body.type === "body" && Buffer.from(body.bytes).toString()).toBe("x".repeat(10));
  expect(await readBodyCapped(post("x".repeat(11)), { maxBytes: 10, signal })).toEqual({ type: "too-large" });
});

test("refuses a content-length that is too large, without reading", async () => {
  const { stream, cancelled } = endless();
  expect(await readBodyCapped(post(stream, { "content-length": "5000" }), { maxBytes: 10, signal })).toEqual({ type: "too-large" });
  expect(cancelled()).toBe(true);
});

test("stops reading an endless body after the limit", async () => {
  const { stream, taken, cancelled } = endless();
  expect(await readBodyCapped(post(stream), { maxBytes: 5_000, signal })).toEqual({ type: "too-large" });
  expect(taken()).toBeLessThanOrEqual(8_000);
  expect(cancelled()).toBe(true);
});

test("a missing body is empty", async () => {
  const body = await readBodyCapped(new Request("http://127.0.0.1/"), { maxBytes: 10, signal });
  expect(body.type === "body" && body.bytes.byteLength).toBe(0);
});

test("a body that stalls ends with the signal", async () => {
  const abort = new AbortController();
  const stalled = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
  const read = readBodyCapped(post(stalled), { maxBytes: 10, signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(read).rejects.toThrow("enough");
});
