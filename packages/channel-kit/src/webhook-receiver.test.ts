import { ChannelError } from "@factotum/channel-contract";
import { beforeEach, describe, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import type { TestHost } from "../test/test-host.ts";
import { createWebhookReceiver } from "./index.ts";
import type { EventOutcome, RefusedRequest, WebhookReceiver } from "./index.ts";

const { signal } = new AbortController();
const MISSING: RefusedRequest = { status: 401, reason: "the signature is missing", signed: false };

let host: TestHost;
let received: string[];
let accept: (event: string) => Promise<EventOutcome>;
let check: () => Promise<unknown>;

beforeEach(() => {
  host = createTestHost();
  received = [];
  accept = () => Promise.resolve({ type: "accepted" });
  check = () => Promise.resolve();
});

/** A webhook of a platform that signs with the header `signed`; `ping` is its check of the address. */
function create(unsignedMaxBytes = 0): WebhookReceiver {
  return createWebhookReceiver<string>({
    host,
    hint: "check the address",
    maxBytes: 20,
    hasSignature: (headers) => headers.has("signed"),
    unsigned: { maxBytes: unsignedMaxBytes, refusal: MISSING },
    verify(body, headers) {
      const text = Buffer.from(body).toString();
      if (text === "ping") return { type: "answer", response: new Response("pong") };
      if (!headers.has("signed")) return { type: "refused", ...MISSING };
      return headers.get("signed") === "yes"
        ? { type: "event", event: text }
        : { type: "refused", status: 401, reason: "wrong", signed: true };
    },
    accept: (event) => {
      received.push(event);
      return accept(event);
    },
    check: () => check(),
    ignoredLevel: "info",
    refusalHeaders: { "no-retry": "1" },
  });
}

const post = (webhook: WebhookReceiver, body: string | ReadableStream<Uint8Array>, signed = "yes"): Promise<Response> => {
  const headers = signed === "" ? {} : { signed };
  return webhook.handleWebhook(new Request("http://x/", { method: "POST", body, headers, duplex: "half" } as RequestInit), { signal });
};

test("acknowledges an event after its commit", async () => {
  const webhook = create();
  const commit = Promise.withResolvers<EventOutcome>();
  accept = () => commit.promise;
  let isAnswered = false;
  const answer = post(webhook, "hello").finally(() => (isAnswered = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual(["hello"]);
  expect(isAnswered).toBe(false);
  commit.resolve({ type: "accepted" });
  expect((await answer).status).toBe(200);
  expect(webhook.health()).toEqual({ state: "connected", evidenceAtMs: 0 });
});

test("a platform that cannot be reached is asked again until it answers, and the problem ends then", async () => {
  const unreachable = new ChannelError("unreachable", "no connection", { retry: { type: "backoff" } });
  check = () => Promise.reject(unreachable);
  const webhook = create();
  await webhook.start({ signal });
  expect(webhook.health()).toMatchObject({ state: "degraded", detail: "no connection" });
  const checked = Promise.withResolvers<void>();
  let checks = 0;
  check = () => {
    checks += 1;
    if (checks === 1) return Promise.reject(unreachable);
    checked.resolve();
    return Promise.resolve();
  };
  host.clock.advance(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(webhook.health().detail).toBe("no connection");
  host.clock.advance(15_000);
  await checked.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(webhook.health()).toEqual({ state: "starting", detail: "no verified request since the start; check the address" });
  expect(host.clock.pending).toEqual([]);
});

test("a credential that is refused after the platform was unreachable is the problem, and is not tried again", async () => {
  check = () => Promise.reject(new ChannelError("unreachable", "no connection", { retry: { type: "backoff" } }));
  const webhook = create();
  await webhook.start({ signal });
  check = () => Promise.reject(new ChannelError("unauthorized", "the token is wrong", { retry: { type: "never" } }));
  host.clock.advance(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(webhook.health()).toMatchObject({ state: "degraded", detail: "the token is wrong" });
  expect(host.clock.pending).toEqual([]);
});

test("a stop ends the checks of a platform that cannot be reached", async () => {
  check = () => Promise.reject(new ChannelError("unreachable", "no connection", { retry: { type: "backoff" } }));
  const webhook = create();
  await webhook.start({ signal });
  await webhook.stop();
  expect(host.clock.pending).toEqual([]);
});

test("an event that is not stored is refused for now, and a problem until the next one", async () => {
  const webhook = create();
  accept = () => Promise.reject(new Error("the disk is full"));
  const answer = await post(webhook, "hello");
  expect([answer.status, answer.headers.get("no-retry")]).toEqual([503, null]);
  expect(webhook.health()).toMatchObject({ state: "degraded", detail: "an event could not be stored; the platform will send it again" });
  expect(host.logged).toEqual([["error", "event not stored", { error: "the disk is full" }]]);
  accept = () => Promise.resolve({ type: "accepted" });
  await post(webhook, "hello");
  expect(webhook.health()).toEqual({ state: "connected", evidenceAtMs: 0 });
});

test("an event that can never be stored is acknowledged and counted, so that it is not sent for ever", async () => {
  const webhook = create();
  accept = () => Promise.reject(new RangeError("the id holds a NUL"));
  expect((await post(webhook, "hello")).status).toBe(200);
  expect(webhook.health().detail).toBe("1 message could not be read and is lost; see the log");
});

test("events of other accounts are refused; ignored and unreadable ones are acknowledged", async () => {
  const webhook = create();
  accept = (event) => Promise.resolve(event === "other" ? { type: "other-account" } : { type: event as "ignored", reason: "so" });
  const statuses = [];
  for (const event of ["other", "ignored", "unreadable"]) statuses.push((await post(webhook, event)).status);
  expect(statuses).toEqual([403, 200, 200]);
  expect(webhook.health().detail).toBe("1 message could not be read and is lost; see the log");
  expect(host.logged).toContainEqual(["info", "event ignored", { reason: "so" }]);
});

describe("refuses", () => {
  test("other methods", async () => {
    const answer = await create().handleWebhook(new Request("http://x/"), { signal });
    expect([answer.status, answer.headers.get("no-retry")]).toEqual([405, "1"]);
  });

  test("a wrong signature, with its reason in the health", async () => {
    const webhook = create();
    const answer = await post(webhook, "hello", "wrong");
    expect([answer.status, await answer.json()]).toEqual([401, { error: "wrong" }]);
    expect(webhook.health()).toEqual({ state: "degraded", detail: "a request was refused: wrong" });
    expect(received).toEqual([]);
  });

  test("a body over the limit", async () => {
    expect((await post(create(), "x".repeat(21))).status).toBe(413);
  });

  test("a body that breaks off", async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
    expect((await post(create(), broken)).status).toBe(400);
  });

  test("an unsigned request over its own limit, without reading the rest", async () => {
    let taken = 0;
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream(
        {
          pull(controller) {
            taken += 1;
            controller.enqueue(new Uint8Array(1));
          },
        },
        { highWaterMark: 0 },
      );
    const webhook = create(4);
    expect((await post(webhook, endless(), "")).status).toBe(401);
    expect(taken).toBe(5);
    expect(webhook.health().detail).toContain("the signature is missing");
    expect(await (await post(webhook, "ping", "")).text()).toBe("pong");
    taken = 0;
    expect((await post(create(0), endless(), "")).status).toBe(401);
    expect(taken).toBe(0);
  });
});

describe("a start", () => {
  const unreachable = new ChannelError("unreachable", "no route", { retry: { type: "backoff" } });

  test("reports wrong credentials, and only notes an unreachable platform", async () => {
    const webhook = create();
    const refusal = new ChannelError("unauthorized", "wrong token", { retry: { type: "never" } });
    check = () => Promise.reject(refusal);
    await expect(webhook.start({ signal })).rejects.toBe(refusal);
    check = () => Promise.reject(unreachable);
    await expect(webhook.start({ signal: AbortSignal.abort() })).rejects.toBe(unreachable);
    await webhook.start({ signal });
    expect(webhook.health()).toEqual({ state: "degraded", detail: "no route" });
    check = () => Promise.reject(refusal);
    await webhook.start({ signal });
    await post(webhook, "hello");
    expect(webhook.health()).toEqual({ state: "connected", evidenceAtMs: 0 });
  });

  test("does not follow a stop, after which requests are refused for now", async () => {
    const webhook = create();
    await webhook.stop();
    await expect(webhook.start({ signal })).rejects.toMatchObject({ code: "rejected" });
    expect((await post(webhook, "hello")).status).toBe(503);
    expect(webhook.health()).toEqual({ state: "stopped" });
  });
});
