import { ChannelError } from "@factotum/channel-contract";
import type { Channel, Retry } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/manual-clock.ts";
import { FETCH_MAX_BYTES } from "../media-limits.ts";
import { fetchAttachment } from "./fetch-attachment.ts";

type Fetch = Channel["fetchAttachment"];

const REF = { kind: "image", ref: "1" } as const;
const never: Fetch = async () => Promise.withResolvers<never>().promise;

function start(fetch: Fetch | undefined, ref: Parameters<typeof fetchAttachment>[0] = REF) {
  const clock = createManualClock();
  const stop = new AbortController();
  const channel = fetch === undefined ? undefined : { fetchAttachment: fetch };
  return { clock, stop, result: fetchAttachment(ref, { channel, clock, signal: stop.signal, timeoutMs: 60 }) };
}

function failing(retry: Retry): Fetch & { readonly calls: { count: number } } {
  const calls = { count: 0 };
  const fetch: Fetch = async () => {
    calls.count += 1;
    throw new ChannelError("rate-limited", "later", { retry });
  };
  return Object.assign(fetch, { calls });
}

test("a channel that never answers and ignores its signal does not block the turn", async () => {
  const { clock, result } = start(never);
  clock.run(60);
  expect(await result).toEqual({ type: "failed", reason: "unavailable", message: "it took too long" });
});

test("stopping the turn stops the fetching", async () => {
  const { stop, result } = start(never);
  stop.abort(new Error("stopped"));
  expect(await result).toEqual({ type: "failed", reason: "unavailable", message: "stopped" });
});

test("an attachment with an oversized declared length is not requested; one with a wrong length is not accepted", async () => {
  let asked = 0;
  const lying: Fetch = async (_ref, { maxBytes }) => {
    asked += 1;
    expect(maxBytes).toBe(FETCH_MAX_BYTES.image);
    return { kind: "image", mimeType: "image/png", bytes: new Uint8Array(maxBytes + 1) };
  };
  expect(await start(lying, { ...REF, sizeBytes: FETCH_MAX_BYTES.image + 1 }).result).toMatchObject({ reason: "too-large" });
  expect(asked).toBe(0);
  expect(await start(lying, { ...REF, sizeBytes: 1 }).result).toMatchObject({ reason: "too-large" });
  const refusing: Fetch = async () => Promise.reject(new ChannelError("too-long", "no", { retry: { type: "never" } }));
  expect(await start(refusing).result).toMatchObject({ reason: "too-large" });
});

test("is retried, three attempts in total, after the platform's own delay", async () => {
  const fetch = failing({ type: "after", delayMs: 700 });
  const { clock, result } = start(fetch);
  for (let again = 1; again <= 2; again++) {
    await clock.scheduled(700);
    expect(fetch.calls.count).toBe(again);
    clock.run(700);
  }
  expect(await result).toMatchObject({ type: "failed", reason: "unavailable" });
  expect(fetch.calls.count).toBe(3);
});

test("is not retried after a permanent failure, nor beyond its time", async () => {
  const final = failing({ type: "never" });
  expect(await start(final).result).toMatchObject({ reason: "unavailable" });
  expect(final.calls.count).toBe(1);
  const slow = failing({ type: "after", delayMs: 5_000 });
  const { clock, result } = start(slow);
  await clock.scheduled(5_000);
  clock.run(60);
  expect(await result).toMatchObject({ reason: "unavailable" });
  expect(slow.calls.count).toBe(2);
});

test("without a channel there is no request", async () => {
  expect(await start(undefined).result).toMatchObject({ reason: "unavailable" });
});
