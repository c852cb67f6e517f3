import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { FULL, FullDisk, LookClock } from "../../test/full-disk.ts";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { lostTurn } from "../../test/lost-writes.ts";
import { TestClient } from "../../test/test-client.ts";
import { createFileReserve } from "./disk-reserve.ts";

async function readyz({ gateway }: TestGateway): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${gateway.url}/readyz`);
  return { status: response.status, body: await response.json() };
}

async function complete({ gateway, token }: TestGateway): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }] }),
  });
}

const sentTexts = (platform: TestPlatform): string[] =>
  platform.sent.map(({ target, outbound }) => `${target.conversation.id}: ${outbound.type === "text" ? outbound.text : ""}`);

const storage = async (running: TestGateway): Promise<unknown> => (await running.gateway.status()).storage;

test("after a refusal by the storage, running work continues, no input is accepted, and no check for space changes that", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  const disk = new FullDisk();
  const clock = new LookClock();
  await using running = await startTestGateway({ platform, clock, around: disk.around, patch: withModel(server.baseUrl) });
  const gate = server.hold();
  server.respond(() => textReply("Here it is."));
  await platform.say(platform.message("the first one"));
  await server.nextRequest();
  // A check is scheduled when the refusal comes.
  disk.isFull = true;
  await expect(platform.say(platform.message("the second one"))).rejects.toMatchObject({ code: "full", message: FULL });
  disk.isFull = false;
  running.gateway.engine.parts.storage.refuse("The database is gone.");
  clock.look();
  gate.open();
  await expect.poll(() => sentTexts(platform)).toContain("dm-1: Here it is.");
  await expect(platform.say(platform.message("the third one"))).rejects.toMatchObject({ code: "full", message: "The database is gone." });
  expect(await readyz(running)).toEqual({ status: 503, body: { ready: false, reason: "The database is gone." } });
});

describe("a full disk", () => {
  test("running work waits, no input is accepted, senders are notified, and all of it resumes by itself", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const disk = new FullDisk();
    const clock = new LookClock();
    await using running = await startTestGateway({ platform, clock, around: disk.around, patch: withModel(server.baseUrl) });
    expect(await storage(running)).toEqual({ state: "ok" });
    const gate = server.hold();
    server.respond(() => textReply("Here it is."));
    await platform.say(platform.message("the first one"));
    await server.nextRequest();
    disk.isFull = true;
    gate.open();
    await expect.poll(() => storage(running)).toMatchObject({ state: "full", detail: FULL, sinceMs: expect.any(Number) as number });

    const second = platform.message("the second one");
    await expect(platform.say(second)).rejects.toMatchObject({ code: "full" });
    expect(await readyz(running)).toEqual({ status: 503, body: { ready: false, reason: FULL } });
    platform.webhook = second;
    const webhook = await fetch(`${running.gateway.url}/channels/test/default`, { method: "POST", body: "{}" });
    expect([webhook.status, webhook.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await webhook.text()).not.toContain("disk");
    const completion = await complete(running);
    expect(completion.status).toBe(503);
    expect(await completion.json()).toMatchObject({ error: { type: "server_error", code: "storage_full", message: FULL } });
    using client = await TestClient.connect(running.gateway.url, running.token);
    for (const [method, params] of [
      ["agent", { message: "hello", idempotencyKey: "1" }],
      ["chat.send", { text: "hello", idempotencyKey: "2" }],
      ["sessions.reset", { key: "agent:main:main" }],
    ] as const)
      expect(await client.callRaw(method, params)).toMatchObject({ ok: false, error: { code: "unavailable", message: FULL } });
    expect((await client.call("chat.history", { sessionKey: "agent:main:main" })).entries).toHaveLength(1);
    // The message came twice, and its chat is notified once.
    await platform.waitForSends(1);
    expect(sentTexts(platform)).toEqual([expect.stringMatching(/^dm-1: My disk is full/)]);

    clock.look();
    await expect.poll(() => clock.delays.length).toBeGreaterThanOrEqual(2);
    disk.isFull = false;
    clock.look();
    await platform.waitForSends(2);
    expect(await storage(running)).toEqual({ state: "ok" });
    expect(await readyz(running)).toEqual({ status: 200, body: { ready: true } });
    expect(await platform.say(second)).toBe("accepted");
    await platform.waitForSends(3);
    expect(server.requests).toHaveLength(2);
    await running.gateway.engine.idle();
    const told = running.logger.lines.map((line) => JSON.parse(line) as { level: string; message: string });
    expect(told.filter(({ message }) => /Nothing can be stored|There is space again/.test(message)).map(({ level }) => level)).toEqual([
      "error",
      "info",
    ]);
    expect(told.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  test("plain copies are flushed once there is space again", async () => {
    const platform = new TestPlatform();
    const disk = new FullDisk();
    const clock = new LookClock();
    let flushes = 0;
    const counting = withMethods((store) => ({
      flushCopies: async () => {
        flushes += 1;
        return store.flushCopies();
      },
    }));
    await using running = await startTestGateway({ platform, clock, around: (store) => disk.around(counting(store)) });
    disk.isFull = true;
    await expect(platform.say(platform.message("hello"))).rejects.toMatchObject({ code: "full" });
    clock.look();
    await running.gateway.engine.idle();
    expect(flushes).toBe(0);
    disk.isFull = false;
    clock.look();
    await expect.poll(() => flushes).toBe(1);
  });

  test("every chat of allowed people is notified once per outage, and once more if that was refused; others are not", async () => {
    const platform = new TestPlatform();
    const disk = new FullDisk();
    const clock = new LookClock();
    await using running = await startTestGateway({ platform, clock, around: disk.around, accountConfig: { allowFrom: ["guest-1"] } });
    const inChat = (id: string) => ({ origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id } } });
    const refuse = async (extra: Parameters<TestPlatform["message"]>[1]): Promise<void> => {
      await expect(platform.say(platform.message("hello", extra))).rejects.toMatchObject({ code: "full" });
      await running.gateway.engine.idle();
    };
    disk.isFull = true;
    await refuse({ ...inChat("dm-3"), sender: { id: "stranger", isBot: false } });
    platform.receipts = [{ type: "rejected", code: "rate-limited", retry: { type: "backoff" } }];
    await refuse({});
    expect(platform.sent).toEqual([]);
    await refuse({});
    await refuse({});
    await refuse({ ...inChat("dm-2"), sender: { id: "guest-1", isBot: false } });
    expect(platform.sent.map(({ target }) => target.conversation.id)).toEqual(["dm-1", "dm-2"]);
    disk.isFull = false;
    clock.look();
    await expect.poll(() => storage(running)).toEqual({ state: "ok" });
    disk.isFull = true;
    await refuse({});
    expect(platform.sent).toHaveLength(3);
    expect(new Set(platform.sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  });

  test("a turn whose commit finds no space is retried once there is some", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const disk = new FullDisk();
    const clock = new LookClock();
    server.script([textReply("Lost."), textReply("Kept.")]);
    const asked = server.nextRequest();
    const filling = withMethods((store) => ({
      startTurnOptimistic: async (turn) => {
        const lost = lostTurn(store, turn, { at: asked, error: new StoreError("full", FULL) });
        asked.then(() => (disk.isFull = true)).catch(() => undefined);
        return lost;
      },
    }));
    const around = (store: Store): Store => disk.around(filling(store));
    await using running = await startTestGateway({ platform, clock, around, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("the first one"));
    await expect.poll(() => storage(running)).toMatchObject({ state: "full", detail: FULL });
    expect(sentTexts(platform)).toEqual([]);
    disk.isFull = false;
    clock.look();
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts(platform)).toEqual([expect.stringContaining("Kept.")]);
    expect(server.requests).toHaveLength(2);
  });

  test("running work is finished on the reserve, and the reserve is taken again", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const disk = new FullDisk({ reservedWrites: 50 });
    const clock = new LookClock();
    await using running = await startTestGateway({
      platform,
      clock,
      around: disk.around,
      reserve: disk.reserve,
      patch: withModel(server.baseUrl),
    });
    clock.look();
    const gate = server.hold();
    server.respond(() => textReply("On the reserve."));
    await platform.say(platform.message("the first one"));
    await server.nextRequest();
    disk.isFull = true;
    gate.open();
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(disk.onReserve).toBeGreaterThan(0);
    await expect(platform.say(platform.message("the second one"))).rejects.toMatchObject({ code: "full" });
    disk.isFull = false;
    clock.look();
    await expect.poll(() => storage(running)).toEqual({ state: "ok" });
    expect(await disk.reserve.free()).toBe(true);
  });

  test("a stop does not wait for space, and the next start continues from the last commit", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const disk = new FullDisk();
    const first = await startTestGateway({ platform, clock: new LookClock(), around: disk.around, patch: withModel(server.baseUrl) });
    const gate = server.hold();
    server.respond(() => textReply("After all."));
    await platform.say(platform.message("the first one"));
    await server.nextRequest();
    disk.isFull = true;
    gate.open();
    await expect.poll(() => storage(first)).toMatchObject({ state: "full" });
    await first.stop();
    expect(platform.sent).toEqual([]);
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    await platform.waitForSends(1);
    await second.gateway.engine.idle();
    expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject([{ text: "After all." }]);
  });

  test("low space is reported before it runs out", async () => {
    const disk = new FullDisk({ reservedWrites: 1 });
    const clock = new LookClock();
    await using running = await startTestGateway({ clock, reserve: disk.reserve });
    disk.isFull = true;
    clock.look();
    await expect.poll(() => storage(running)).toEqual({ state: "low", detail: FULL });
    expect((await readyz(running)).status).toBe(200);
  });
});

describe("the reserve", () => {
  test("has the configured size, is taken once, and released once", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-reserve-"));
    try {
      const file = path.join(folder, "state", "reserve");
      const reserve = createFileReserve({ path: file, bytes: 3_000_000 });
      expect(await reserve.free()).toBe(false);
      await reserve.fill();
      const before = await stat(file);
      expect([before.size, before.mode & 0o777]).toEqual([3_000_000, 0o600]);
      await reserve.fill();
      expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
      expect(await reserve.free()).toBe(true);
      expect(await reserve.free()).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("that does not fit reports what is missing and takes nothing", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-reserve-"));
    try {
      const reserve = createFileReserve({ path: path.join(folder, "reserve"), bytes: 2 ** 60 });
      await expect(reserve.fill()).rejects.toMatchObject({
        code: "ENOSPC",
        message: expect.stringMatching(/MB left, and .* MB are needed/) as string,
      });
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
