import { TestHost } from "@factotum/channel-conformance";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createDeliveries, Delivery } from "../chat/delivery.ts";
import { createStateAdapter } from "./state-adapter.ts";

function create(clock = new ManualClock()) {
  const host = new TestHost({ clock });
  const deliveries = createDeliveries();
  const again = () => createStateAdapter(host, createDeliveries());
  return { clock, host, deliveries, state: createStateAdapter(host, deliveries), again };
}

test("values, lists and subscriptions survive a restart, and expire", async () => {
  const { again, clock, state } = create();
  await state.set("key", { a: [1] });
  await state.set("nothing", null);
  await state.set("short", 1, 1_000);
  await state.set("x".repeat(5_000), "long");
  for (const value of ["one", "two", "three"]) await state.appendToList("list", value, { maxLength: 2 });
  await state.subscribe("thread");
  const other = again();
  expect(await other.get("key")).toEqual({ a: [1] });
  expect(await other.get("nothing")).toBeNull();
  expect(await other.get("x".repeat(5_000))).toBe("long");
  expect(await other.getList("list")).toEqual(["two", "three"]);
  expect(await other.isSubscribed("thread")).toBe(true);
  expect(await other.get("short")).toBe(1);
  clock.advance(1_001);
  expect(await other.get("short")).toBeNull();
  await other.delete("key");
  await other.unsubscribe("thread");
  expect([await state.get("key"), await state.isSubscribed("thread")]).toEqual([null, false]);
});

test("of ten claims at once one succeeds", async () => {
  const { state } = create();
  const claims = await Promise.all(Array.from({ length: 10 }, () => state.setIfNotExists("claim", true, 1_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test("a lock is held by one, until it is released or expires", async () => {
  const { clock, state } = create();
  const lock = await state.acquireLock("t", 1_000);
  if (lock === null) throw new Error("there is no lock");
  expect(await state.acquireLock("t", 1_000)).toBeNull();
  expect(await state.extendLock(lock, 5_000)).toBe(true);
  clock.advance(4_999);
  expect(await state.acquireLock("t", 1_000)).toBeNull();
  clock.advance(2);
  const next = await state.acquireLock("t", 1_000);
  expect(next).not.toBeNull();
  await state.releaseLock(lock);
  expect(await state.extendLock(lock, 1)).toBe(false);
  expect(await state.acquireLock("t", 1_000)).toBeNull();
  await state.forceReleaseLock("t");
  expect(await state.acquireLock("t", 1_000)).not.toBeNull();
});

test("what a request writes is seen at once, on disk with its commit, and gone without", async () => {
  const { deliveries, host, state } = create();
  const [first, second] = [new Delivery(), new Delivery()];
  await deliveries.run(first, async () => state.set("a", "first"));
  expect([await state.get("a"), await host.state.list("")]).toEqual(["first", []]);
  await deliveries.run(second, async () => state.set("a", "second"));
  await state.commit(first);
  expect([await state.get("a"), await host.state.list("")]).toEqual(["second", []]);
  state.discard(second);
  expect(await state.get("a")).toBeNull();
  const third = new Delivery();
  await deliveries.run(third, async () => state.setIfNotExists("b", 1));
  await state.commit(third);
  expect(await host.state.list("sdk/")).toHaveLength(1);
});
