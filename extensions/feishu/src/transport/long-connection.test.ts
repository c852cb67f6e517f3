import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { FakeFeishu, ManualClock, feishuMessageEvent } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
let clock: ManualClock;
let feishu: FakeFeishu;
let host: TestHost;
let channel: Channel;

const make = (): Channel =>
  createFeishuChannel(
    {
      appId: feishu.app.appId,
      appSecret: feishu.app.appSecret,
      domain: "feishu",
      baseUrl: feishu.baseUrl,
      transport: { type: "websocket" },
    },
    host,
  );
const message = () => feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", messageType: "text", content: { text: "hi" } });
const connected = (): Promise<void> => vi.waitFor(() => expect(channel.health().state).toBe("connected"), { interval: 5, timeout: 25_000 });

beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({ now: () => clock.now() });
  host = new TestHost({ clock });
  channel = make();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

describe("start", () => {
  test("resolves when events can arrive", async () => {
    await channel.start({ signal });
    expect(channel.health()).toEqual({ state: "connected", evidenceAtMs: clock.now() });
    expect(await feishu.longConnection.deliver(message(), { fragments: 2 })).toBe(200);
    expect(host.stored).toHaveLength(1);
  });

  test.each([
    [514, "unauthorized", "never"],
    [403, "unauthorized", "never"],
    [1, "unreachable", "backoff"],
    [1000040350, "rate-limited", "backoff"],
  ])("reports the platform's answer: %i is %s", async (code, expected, retry) => {
    feishu.longConnection.lookupFaults.push({ code, message: "no" });
    await expect(channel.start({ signal })).rejects.toMatchObject({ code: expected, retry: { type: retry } });
    expect(channel.health().state).toBe("disconnected");
  });

  test("can be tried again after it failed", async () => {
    feishu.longConnection.lookupFaults.push({ code: 1, message: "busy" });
    await expect(channel.start({ signal })).rejects.toThrow("busy");
    await channel.start({ signal });
    expect(channel.health().state).toBe("connected");
    expect(feishu.longConnection.open).toBe(1);
  });

  test("rejects if the platform is unreachable, and leaves nothing behind", async () => {
    await feishu[Symbol.asyncDispose]();
    await expect(channel.start({ signal })).rejects.toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
    expect(clock.pending).toEqual([]);
    feishu = await FakeFeishu.start();
  });
});

describe("a connection that breaks", () => {
  test("is reported in the health, and reconnects by itself", async () => {
    await channel.start({ signal });
    feishu.longConnection.clientConfig = { ...feishu.longConnection.clientConfig, ReconnectInterval: 1 };
    feishu.longConnection.drop();
    await vi.waitFor(() => expect(channel.health().state).toBe("disconnected"), { interval: 1, timeout: 25_000 });
    await connected();
    expect(await feishu.longConnection.deliver(message())).toBe(200);
  });

  test("that the platform then refuses is reopened with backoff", async () => {
    await channel.start({ signal });
    feishu.longConnection.lookupFaults.push({ code: 1000040350, message: "too many" }, { code: 1000040350, message: "too many" });
    feishu.longConnection.drop();
    await vi.waitFor(() => expect(channel.health().detail).toContain("too many"), { interval: 5, timeout: 25_000 });
    expect(clock.pending).toHaveLength(1);
    expect(clock.pending[0]).toBeLessThanOrEqual(1_000);
    clock.advance(1_000);
    await vi.waitFor(() => expect(feishu.longConnection.lookupFaults).toHaveLength(0), { interval: 5, timeout: 25_000 });
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1), { interval: 5, timeout: 25_000 });
    expect(clock.pending[0]).toBeLessThanOrEqual(2_000);
    clock.advance(2_000);
    await connected();
    expect(feishu.longConnection.open).toBe(1);
  });

  test("stays closed when the channel was stopped meanwhile", async () => {
    await channel.start({ signal });
    feishu.longConnection.lookupFaults.push({ code: 1, message: "busy" });
    feishu.longConnection.drop();
    await vi.waitFor(() => expect(channel.health().detail).toContain("busy"), { interval: 5, timeout: 25_000 });
    await channel.stop({ signal });
    expect(clock.pending).toEqual([]);
    expect(channel.health()).toMatchObject({ state: "stopped" });
  });
});

test("noise on the wire changes nothing", async () => {
  await channel.start({ signal });
  for (const bytes of [Buffer.from("x"), Buffer.alloc(0), Buffer.alloc(70_000, 0xff), Buffer.from([0x08, 0x01])])
    feishu.longConnection.sendGarbage(bytes);
  expect(await feishu.longConnection.deliver(message())).toBe(200);
});

test("stop acknowledges events that are being stored", async () => {
  await channel.start({ signal });
  const release = host.hold();
  const delivery = feishu.longConnection.deliver(message());
  await host.handedOver(1);
  const stop = channel.stop({ signal });
  release();
  expect(await delivery).toBe(200);
  await stop;
});

test("an event after stop is neither acknowledged nor passed on", async () => {
  await channel.start({ signal });
  const release = host.hold();
  const first = feishu.longConnection.deliver(message());
  await host.handedOver(1);
  const stop = channel.stop({ signal });
  const second = feishu.longConnection.deliver(message()).catch(() => 0);
  release();
  expect(await first).toBe(200);
  expect(await second).not.toBe(200);
  await stop;
  expect(host.received).toHaveLength(1);
});

test("no ticket and no message text is logged", async () => {
  await channel.start({ signal });
  await feishu.longConnection.deliver(message());
  feishu.longConnection.drop();
  await connected();
  expect(host.logLines.join()).not.toMatch(/ticket=(?!\[secret\])/);
  expect(host.logLines.join()).not.toContain('"hi"');
});
