import { afterEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import type { EncodeJob, EncodeResult } from "./encode-job.ts";
import { ImageEncoder } from "./image-encoder.ts";

const JOB: EncodeJob = { bytes: new Uint8Array([1]), orientation: 1, maxSidePx: 1, maxBytes: 1, losslessMaxBytes: 0, maxPixels: 1 };
const signal = new AbortController().signal;

/** A thread that reports in each result how many it has answered. */
const COUNTING = `let count = 0; parentPort.on("message", () => parentPort.postMessage({ type: "encoded", bytes: new Uint8Array([++count]), mimeType: "image/png" }));`;

function program(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads";${source}`)}`);
}

let open: ImageEncoder | undefined;
afterEach(async () => open?.close());

function create(source: string): { readonly encoder: ImageEncoder; readonly clock: ManualClock } {
  const clock = createManualClock();
  open = new ImageEncoder({ clock, worker: program(source), timeoutMs: 30, idleMs: 20 });
  return { encoder: open, clock };
}

function count(result: EncodeResult): number | string | undefined {
  return result.type === "encoded" ? result.bytes[0] : result.message;
}

test("one thread processes images in order, and ends after a long idle time", async () => {
  const { encoder, clock } = create(COUNTING);
  expect(encoder.isLoaded).toBe(false);
  const results = await Promise.all([1, 2, 3].map(async () => encoder.encode(JOB, { signal })));
  expect(results.map(count)).toEqual([1, 2, 3]);
  clock.run(20);
  expect(count(await encoder.encode(JOB, { signal }))).toBe(1);
});

test("a decoder that takes too long is ended, and the next image gets a new one", async () => {
  const { encoder, clock } = create(
    `parentPort.on("message", ({ maxBytes }) => { if (maxBytes === 9) for (;;); else parentPort.postMessage({ type: "encoded", bytes: new Uint8Array([7]), mimeType: "image/png" }); });`,
  );
  const stuck = encoder.encode({ ...JOB, maxBytes: 9 }, { signal });
  const next = encoder.encode(JOB, { signal });
  await clock.scheduled(30);
  clock.run(30);
  expect(await stuck).toEqual({ type: "failed", message: "it took too long" });
  expect(count(await next)).toBe(7);
});

test.each([
  ["throws", `parentPort.on("message", () => { throw new Error("out of bounds"); });`, "out of bounds"],
  ["ends", `parentPort.on("message", () => process.exit(3));`, "the decoder broke down"],
])("a thread that %s fails its image and nothing else", async (_name, source, message) => {
  const { encoder } = create(source);
  expect(await encoder.encode(JOB, { signal })).toEqual({ type: "failed", message });
  expect(encoder.isLoaded).toBe(false);
  expect(await encoder.encode(JOB, { signal })).toEqual({ type: "failed", message });
});

test("an image whose turn is stopped is abandoned at once; waiting ones are not started", async () => {
  const { encoder } = create(`parentPort.on("message", () => { for (;;); });`);
  const stop = new AbortController();
  const running = encoder.encode(JOB, { signal: stop.signal });
  const waiting = encoder.encode(JOB, { signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ type: "failed" });
  expect(await waiting).toMatchObject({ type: "failed" });
  expect(encoder.isLoaded).toBe(false);
});

test("the thread sees nothing of the gateway's environment", async () => {
  const { encoder } = create(
    `parentPort.on("message", () => parentPort.postMessage({ type: "failed", message: JSON.stringify([Object.keys(process.env), process.execArgv]) }));`,
  );
  expect(await encoder.encode(JOB, { signal })).toEqual({ type: "failed", message: "[[],[]]" });
});

test("after closing there is no thread and no image is accepted", async () => {
  const { encoder } = create(COUNTING);
  await encoder.encode(JOB, { signal });
  await encoder.close();
  expect(encoder.isLoaded).toBe(false);
  expect(await encoder.encode(JOB, { signal })).toMatchObject({ type: "failed" });
});
