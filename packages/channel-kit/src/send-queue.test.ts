import { getEventListeners } from "node:events";
import type { CallOptions, SendReceipt } from "@factotum/channel-contract";
import { beforeEach, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import type { TestHost } from "../test/test-host.ts";
import { createSendQueue, rejectedReceipt } from "./index.ts";
import type { SendQueue } from "./index.ts";

const { signal } = new AbortController();
const outbound = { type: "text", text: "hi" } as const;
const ACCEPTED: SendReceipt = { type: "accepted", messageIds: [] };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let host: TestHost;
let queue: SendQueue;

beforeEach(() => {
  host = createTestHost();
  queue = createSendQueue(host, { toReceipt: (error) => ({ type: "ambiguous", cause: (error as Error).message }) });
});

test("sends of one key follow each other, others overlap", async () => {
  const begun: string[] = [];
  const first = Promise.withResolvers<SendReceipt>();
  const send = (key: string, name: string, result: Promise<SendReceipt>): Promise<SendReceipt> =>
    queue.run({ key, outbound, signal }, () => {
      begun.push(name);
      return result;
    });
  const all = [send("a", "a1", first.promise), send("a", "a2", Promise.resolve(ACCEPTED)), send("b", "b1", Promise.resolve(ACCEPTED))];
  await settle();
  expect(begun).toEqual(["a1", "b1"]);
  first.resolve(ACCEPTED);
  expect(await Promise.all(all)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED]);
  expect(begun).toEqual(["a1", "b1", "a2"]);
});

test("a sign of typing does not wait for a message, and a stop waits for it", async () => {
  const message = Promise.withResolvers<SendReceipt>();
  const sign = Promise.withResolvers<SendReceipt>();
  const begun: string[] = [];
  const sent = queue.run({ key: "a", outbound, signal }, () => message.promise);
  const typing = queue.run({ key: "a", outbound: { type: "typing" }, signal }, () => {
    begun.push("typing");
    return sign.promise;
  });
  expect(begun).toEqual(["typing"]);
  message.resolve(ACCEPTED);
  await sent;
  let isStopped = false;
  const stopped = queue.stop({ signal }).then(() => (isStopped = true));
  await settle();
  expect(isStopped).toBe(false);
  sign.resolve(ACCEPTED);
  expect(await typing).toEqual(ACCEPTED);
  await stopped;
});

test("a failure is mapped and logged, and does not block the next send", async () => {
  const failing = queue.run({ key: "a", outbound, signal }, () => Promise.reject(new Error("no answer")));
  const next = queue.run({ key: "a", outbound, signal }, () => Promise.resolve(ACCEPTED));
  expect(await failing).toEqual({ type: "ambiguous", cause: "no answer" });
  expect(await next).toEqual(ACCEPTED);
  expect(host.logged).toEqual([["warn", "send failed", { outbound: "text", receipt: "ambiguous", error: "no answer" }]]);
});

test("a send whose signal fired before its turn does not begin", async () => {
  const { signal: ended } = { signal: AbortSignal.abort() };
  const receipt = await queue.run({ key: "a", outbound, signal: ended }, () => Promise.reject(new Error("begun")));
  expect(receipt).toEqual(rejectedReceipt("unreachable", "the send was ended before it left", "backoff"));
});

test("a stop lets sends that have begun finish, and refuses the others", async () => {
  const running = Promise.withResolvers<SendReceipt>();
  const first = queue.run({ key: "a", outbound, signal }, () => running.promise);
  const second = queue.run({ key: "a", outbound, signal }, () => Promise.reject(new Error("begun")));
  let isStopped = false;
  const stop = new AbortController();
  const stopped = queue.stop({ signal: stop.signal }).then(() => (isStopped = true));
  await settle();
  expect(isStopped).toBe(false);
  running.resolve(ACCEPTED);
  await stopped;
  expect(await first).toEqual(ACCEPTED);
  expect(await second).toMatchObject({ type: "rejected", code: "unreachable", retry: { type: "backoff" } });
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

async function untilAborted({ signal: ends }: CallOptions): Promise<SendReceipt> {
  const { promise, reject } = Promise.withResolvers<SendReceipt>();
  ends.addEventListener("abort", () => reject(ends.reason as Error), { once: true });
  return promise;
}

test("a stop gives up once its signal fires", async () => {
  const sent = queue.run({ key: "a", outbound, signal }, untilAborted);
  const stop = new AbortController();
  const stopped = queue.stop({ signal: stop.signal });
  await settle();
  stop.abort();
  await stopped;
  expect(await sent).toEqual({ type: "ambiguous", cause: "the channel was stopped" });
});

test("a stop whose signal has fired already gives up at once", async () => {
  const sent = queue.run({ key: "a", outbound, signal }, untilAborted);
  await settle();
  await queue.stop({ signal: AbortSignal.abort() });
  expect(await sent).toEqual({ type: "ambiguous", cause: "the channel was stopped" });
});
