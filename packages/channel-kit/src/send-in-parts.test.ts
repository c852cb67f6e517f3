import { messageId } from "@factotum/channel-contract";
import type { MessageId, SendReceipt } from "@factotum/channel-contract";
import { ManualClock } from "@factotum/testing-channels";
import { beforeEach, expect, test } from "vitest";
import { PlatformFailure, sendInParts } from "./index.ts";

const never = new AbortController().signal;
let clock: ManualClock;
let calls: string[];
/** Failures by part, in the order of its calls. */
let failures: Record<string, Error[]>;

beforeEach(() => {
  clock = new ManualClock(0);
  calls = [];
  failures = {};
});

const limited = (retryAfterMs: number): Error => new PlatformFailure({ type: "refused", code: "429", retryAfterMs }, "too many");

const send = (part: string, index: number): Promise<MessageId> => {
  calls.push(part);
  const failure = failures[part]?.shift();
  return failure === undefined ? Promise.resolve(messageId(`${index}-${part}`)) : Promise.reject(failure);
};

const sendAll = (signal = never): Promise<SendReceipt> => sendInParts(["a", "b", "c"], { clock, send, signal });

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("is accepted with the ids of all parts in order", async () => {
  expect(await sendAll()).toEqual({ type: "accepted", messageIds: ["0-a", "1-b", "2-c"] });
});

test.each([new Error("no"), limited(1_000)])("rejects with the failure of the first part, without a wait: %s", async (failure) => {
  failures = { a: [failure] };
  await expect(sendAll()).rejects.toBe(failure);
  expect(calls).toEqual(["a"]);
  expect(clock.pending).toEqual([]);
});

test("is ambiguous if a later part fails, and does not send the rest", async () => {
  failures = { b: [new Error("no")] };
  expect(await sendAll()).toEqual({ type: "ambiguous", cause: "only a part of it was shown: no" });
  expect(calls).toEqual(["a", "b"]);
});

test("waits for the rate limit in each later part, and sends the same part again", async () => {
  const ofProxy = new PlatformFailure({ type: "http", status: 429, retryAfterMs: 1 }, "too many");
  failures = { b: [limited(30_000)], c: [ofProxy] };
  const sending = sendAll();
  await settle();
  expect(clock.pending).toEqual([30_000]);
  clock.advance(29_999);
  await settle();
  expect(calls).toEqual(["a", "b"]);
  clock.advance(1);
  await settle();
  clock.advance(1);
  expect(await sending).toEqual({ type: "accepted", messageIds: ["0-a", "1-b", "2-c"] });
  expect(calls).toEqual(["a", "b", "b", "c", "c"]);
});

test("does not wait over 30 s, nor for failures of another kind", async () => {
  for (const failure of [limited(30_001), new PlatformFailure({ type: "http", status: 400 }, "no"), new Error("no")]) {
    failures = { b: [failure] };
    expect(await sendAll()).toMatchObject({ type: "ambiguous" });
    expect(clock.pending).toEqual([]);
  }
});

test("waits once for a part", async () => {
  failures = { b: [limited(1), limited(1)] };
  const sending = sendAll();
  await settle();
  clock.advance(1);
  expect(await sending).toEqual({ type: "ambiguous", cause: "only a part of it was shown: too many" });
  expect(calls).toEqual(["a", "b", "b"]);
});

test("ends a wait when the signal fires, and leaves no timer", async () => {
  failures = { b: [limited(1_000)] };
  const abort = new AbortController();
  const sending = sendAll(abort.signal);
  await settle();
  abort.abort(new Error("stopped"));
  expect(await sending).toEqual({ type: "ambiguous", cause: "only a part of it was shown: stopped" });
  expect(clock.pending).toEqual([]);
  expect(calls).toEqual(["a", "b"]);
});
