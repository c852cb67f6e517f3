import { DatabaseSync } from "node:sqlite";
import path from "node:path";
import type { Clock } from "@factotum/agent-contract";
import type { Origin, SendReceipt } from "@factotum/channel-contract";
import type { OutboxRecord } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:main";
const HOUR_MS = 60 * 60 * 1000;
const TARGET: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const REFUSED: SendReceipt = { type: "rejected", code: "forbidden", retry: { type: "never" }, message: "you are blocked" };
const BUSY: SendReceipt = { type: "rejected", code: "rejected", retry: { type: "after", delayMs: 0 } };
const LOST: SendReceipt = { type: "ambiguous", cause: "no answer came" };

/** The real time plus an offset. */
function movableClock(): Clock & { aheadMs: number } {
  const clock = {
    aheadMs: 0,
    now: () => realClock.now() + clock.aheadMs,
    monotonic: () => realClock.monotonic(),
    schedule: (delayMs: number, callback: () => void) => realClock.schedule(delayMs, callback),
  };
  return clock;
}

/** What was sent of the rows below; the chat also receives notices about undelivered ones. */
function sentRows(platform: TestPlatform): TestPlatform["sent"] {
  return platform.sent.filter(({ idempotencyKey }) => idempotencyKey.startsWith("key of"));
}

async function addRow({ store }: TestGateway, text: string, clock: Clock): Promise<OutboxRecord> {
  const [row] = await store.addOutbound([
    {
      sessionKey: KEY,
      target: TARGET,
      outbound: { type: "text", text },
      purpose: "reply",
      idempotencyKey: `key of ${text}`,
      dueAtMs: clock.now(),
      expiresAtMs: clock.now() + 24 * HOUR_MS,
      state: "waiting",
    },
  ]);
  if (row === undefined) throw new Error("no row was added");
  return row;
}

test("every kind of undelivered message is listed with its text, and a replay sends it once", async () => {
  const platform = new TestPlatform();
  const clock = movableClock();
  await using running = await startTestGateway({ platform, clock });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const { engine } = running.gateway;
  const deliver = async (row: OutboxRecord, ...receipts: readonly SendReceipt[]): Promise<void> => {
    platform.receipts = [...receipts];
    engine.parts.dispatcher.dispatch([row]);
    await engine.idle();
  };
  const told = () => client.frames.filter((frame) => frame.type === "event" && frame.event === "deadletters-change").length;
  const early = [await addRow(running, "lost", clock), await addRow(running, "blocked", clock)] as const;
  const late = await addRow(running, "too late", clock);
  await deliver(await addRow(running, "refused", clock), REFUSED);
  await deliver(await addRow(running, "tried too often", clock), ...Array.from({ length: 8 }, () => BUSY));
  // Longer than the platform recognises repeated sends.
  clock.aheadMs = 2 * HOUR_MS;
  await deliver(early[0], LOST);
  await deliver(early[1], REFUSED);
  clock.aheadMs = 25 * HOUR_MS;
  await deliver(late);
  expect(sentRows(platform)).toEqual([]);
  await client.call("status", {});
  // Without a dead letter, such as by the notices of these, none is told.
  expect(told()).toBe(5);

  const { letters } = await client.call("deadletters.list", { type: "outbound" });
  expect(letters.map(({ text, state, reason, replay }) => `${text} / ${state} / ${reason} / ${replay}`).toSorted()).toEqual([
    "blocked / dead / forbidden: you are blocked / safe",
    "lost / ambiguous / no answer came / risky",
    "refused / dead / forbidden: you are blocked / safe",
    "too late / dead / it could not be sent before its time ran out / safe",
    "tried too often / dead / rejected / safe",
  ]);
  expect(letters[0]).toMatchObject({ type: "outbound", sessionKey: KEY, channel: "test", accountId: "default", conversation: "dm-1" });
  expect(await client.call("deadletters.list", { type: "input" })).toEqual({ letters: [] });
  const pages = await client.call("deadletters.list", { limit: 2 });
  expect((await client.call("deadletters.list", { limit: 9, cursor: pages.cursor ?? "" })).letters).toEqual(letters.slice(2));

  const risky = letters.find(({ replay }) => replay === "risky")?.id ?? "";
  expect(await client.call("deadletters.show", { id: risky })).toMatchObject({ payload: { outbound: { text: "lost" }, target: TARGET } });
  await expect(client.call("deadletters.replay", { id: risky })).rejects.toThrow(/^conflict: .* may have been shown already/);
  expect(sentRows(platform)).toEqual([]);
  for (const { id } of letters)
    expect(await client.call("deadletters.replay", { id, risk: true })).toEqual({ replayed: true, sessionKey: KEY });
  expect(told()).toBe(10);
  await engine.idle();
  const keys = sentRows(platform).map(({ outbound, idempotencyKey }) => [outbound.type === "text" ? outbound.text : "", idempotencyKey]);
  expect(Object.fromEntries(keys)).toEqual(Object.fromEntries(letters.map(({ text }) => [text, `key of ${text}`])));
  expect(keys).toHaveLength(letters.length);
  expect(await client.call("deadletters.list", {})).toEqual({ letters: [] });
  await expect(client.call("deadletters.replay", { id: risky, risk: true })).rejects.toThrow("not-found");
});

test("a truncated preview of a long text splits no character", async () => {
  const platform = new TestPlatform();
  const clock = movableClock();
  await using running = await startTestGateway({ platform, clock });
  platform.receipts = [REFUSED];
  running.gateway.engine.parts.dispatcher.dispatch([await addRow(running, `${"x".repeat(198)}👍👍`, clock)]);
  await running.gateway.engine.idle();
  const { letters } = await running.gateway.engine.deadLetters.list({});
  expect(letters.map(({ text }) => text)).toEqual([`${"x".repeat(198)}…`]);
});

test("a replayed message has a fresh attempt count, and becomes a dead letter again when it is rejected again", async () => {
  const platform = new TestPlatform();
  const clock = movableClock();
  await using running = await startTestGateway({ platform, clock });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const row = await addRow(running, "hello", clock);
  platform.receipts = Array.from({ length: 8 }, () => BUSY);
  running.gateway.engine.parts.dispatcher.dispatch([row]);
  await running.gateway.engine.idle();
  platform.receipts = [...Array.from({ length: 7 }, () => BUSY), REFUSED];
  await client.call("deadletters.replay", { id: row.id });
  await running.gateway.engine.idle();
  expect(platform.receipts).toEqual([]);
  expect((await client.call("deadletters.list", {})).letters).toMatchObject([{ id: row.id, reason: "forbidden: you are blocked" }]);
});

test("a message that repeatedly crashed the gateway is reported as failed, kept, and answered when replayed", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("At last."));
  const platform = new TestPlatform();
  const clock = movableClock();
  const common = { platform, clock, patch: withModel(model.baseUrl), around: endsAsKilled };
  let running = await startTestGateway(common);
  const gate = model.hold();
  await platform.say(platform.message("work on this"));
  await model.nextRequest();
  for (let start = 0; start < 4; start += 1) {
    await running.stop();
    running = await startTestGateway({ ...common, home: running.home });
    if (start < 3) await model.nextRequest();
  }
  await using last = running;
  await last.gateway.engine.idle();
  gate.open();
  expect(platform.sent).toHaveLength(1);
  using client = await TestClient.connect(last.gateway.url, last.token);
  const { letters } = await client.call("deadletters.list", {});
  expect(letters).toMatchObject([{ type: "input", sessionKey: KEY, text: "work on this", reason: expect.stringContaining("4 times") }]);
  expect(await client.call("deadletters.show", { id: letters[0]?.id ?? "" })).toMatchObject({
    payload: { message: { text: "work on this" } },
  });
  expect(await client.call("deadletters.replay", { id: letters[0]?.id ?? "" })).toEqual({ replayed: true, sessionKey: KEY });
  await last.gateway.engine.idle();
  expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : "")).at(-1)).toBe("At last.");
  expect(await client.call("deadletters.list", {})).toEqual({ letters: [] });
});

test("damaged letters are listed without text, cannot be replayed and can be purged; purging asks which", async () => {
  await using running = await startTestGateway();
  const clock = movableClock();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const row = await addRow(running, "hello", clock);
  const connection = new DatabaseSync(path.join(running.home, "state", "factotum.sqlite"));
  connection.exec("UPDATE outbox SET payload = replace(payload, 'hello', 'hullo')");
  connection.close();
  await running.store.listPendingOutbound({ limit: 9 });
  const other = await addRow(running, "other", clock);
  await running.store.settleOutbound(other.id, { type: "dead", reason: "given up" }, { nowMs: 5 });
  const { letters } = await client.call("deadletters.list", {});
  expect(letters.find(({ id }) => id === row.id)).toEqual({
    id: row.id,
    type: "outbound",
    state: "dead",
    reason: "damaged",
    failedAtMs: expect.any(Number) as number,
    sessionKey: KEY,
    replay: "impossible",
  });
  await expect(client.call("deadletters.replay", { id: row.id, risk: true })).rejects.toThrow("conflict");
  expect(await client.call("deadletters.show", { id: row.id })).not.toHaveProperty("payload");
  await expect(client.call("deadletters.purge", {})).rejects.toThrow("invalid-request");
  await expect(client.call("deadletters.purge", { ids: [row.id], failedBeforeMs: 1 })).rejects.toThrow("invalid-request");
  expect(await client.call("deadletters.purge", { failedBeforeMs: 6 })).toEqual({ purged: 1 });
  expect(await client.call("deadletters.purge", { ids: [row.id, other.id] })).toEqual({ purged: 1 });
  expect(await client.call("deadletters.list", {})).toEqual({ letters: [] });
});
