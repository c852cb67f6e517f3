import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock, Logger } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { keepSnapshots } from "./keep-snapshots.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A store that counts its snapshots, and a clock that advances from timer to timer. */
function createScene(youngestMs: number | undefined, fails = false) {
  let [nowMs, takenAtMs, taken, hasChanged] = [100 * HOUR_MS, youngestMs, 0, false];
  const pending = new Set<{ readonly atMs: number; readonly run: () => void }>();
  const warnings: string[] = [];
  const firstTurn = Promise.withResolvers<void>();
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    schedule: (delayMs, run) => {
      const timer = { atMs: nowMs + delayMs, run };
      pending.add(timer);
      return { [Symbol.dispose]: () => void pending.delete(timer) };
    },
  };
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => void warnings.push(message),
    error: () => undefined,
    child: () => logger,
  };
  const store = {
    firstTurn: firstTurn.promise,
    hasChangedSinceSnapshot: async () => hasChanged,
    lastSnapshotAtMs: async () => takenAtMs,
    snapshot: async () => {
      taken += 1;
      if (fails) throw new Error("no space");
      takenAtMs = nowMs;
      hasChanged = false;
      return [];
    },
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await nextTick();
  };
  return {
    options: { store, clock, logger },
    warnings,
    taken: () => taken,
    change: () => void (hasChanged = true),
    beginTurn: async (): Promise<void> => {
      firstTurn.resolve();
      await settle();
    },
    isWaiting: () => pending.size > 0,
    waitsForMs: () => Math.min(...[...pending].map(({ atMs }) => atMs - nowMs)),
    /** Fires the next timer and waits for its work. */
    look: async (): Promise<void> => {
      const [next] = [...pending].toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) throw new Error("nothing is scheduled");
      pending.delete(next);
      nowMs = next.atMs;
      next.run();
      await settle();
    },
  };
}

test("takes a snapshot if there is none, and then once a day", async () => {
  const scene = createScene(undefined);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: false });
  await scene.look();
  expect(scene.taken()).toBe(1);
  for (let hour = 0; hour < 23; hour += 1) await scene.look();
  expect(scene.taken()).toBe(1);
  await scene.look();
  expect(scene.taken()).toBe(2);
});

test("checks first a minute after the start: it delays no early message, and runs even in a process that is killed often", async () => {
  const scene = createScene(undefined);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: true });
  expect(scene.waitsForMs()).toBe(MINUTE_MS);
  await scene.look();
  expect(scene.waitsForMs()).toBe(HOUR_MS);
});

test("takes one in every hour with a change, and in no other", async () => {
  const scene = createScene(100 * HOUR_MS - 1);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: false });
  scene.change();
  await scene.look();
  expect(scene.taken()).toBe(0);
  await scene.look();
  expect(scene.taken()).toBe(1);
  await scene.look();
  expect(scene.taken()).toBe(1);
  scene.change();
  await scene.look();
  expect(scene.taken()).toBe(2);
});

test("takes one five minutes after the first turn of the process, once", async () => {
  const scene = createScene(100 * HOUR_MS - 1);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: false });
  await scene.look();
  scene.change();
  await scene.beginTurn();
  expect(scene.waitsForMs()).toBe(5 * MINUTE_MS);
  await scene.look();
  expect(scene.taken()).toBe(1);
  scene.change();
  expect(scene.waitsForMs()).toBe(55 * MINUTE_MS);
});

test("a first turn after the end schedules nothing", async () => {
  const scene = createScene(undefined);
  keepSnapshots({ ...scene.options, wasKilled: false })[Symbol.dispose]();
  await scene.beginTurn();
  expect(scene.isWaiting()).toBe(false);
});

test("after an unclean end checks despite a recent snapshot", async () => {
  for (const wasKilled of [false, true]) {
    const scene = createScene(99 * HOUR_MS);
    using _kept = keepSnapshots({ ...scene.options, wasKilled });
    await scene.look();
    await scene.look();
    expect(scene.taken()).toBe(wasKilled ? 1 : 0);
  }
});

test("ignores a snapshot from the future, and retries a failed one", async () => {
  const future = createScene(1000 * HOUR_MS);
  using _first = keepSnapshots({ ...future.options, wasKilled: false });
  await future.look();
  expect(future.taken()).toBe(1);
  const failing = createScene(undefined, true);
  using _second = keepSnapshots({ ...failing.options, wasKilled: false });
  await failing.look();
  await failing.look();
  expect([failing.taken(), failing.warnings.length]).toEqual([2, 2]);
});

test("checks nothing after it is disposed", () => {
  const scene = createScene(undefined);
  keepSnapshots({ ...scene.options, wasKilled: false })[Symbol.dispose]();
  expect(scene.isWaiting()).toBe(false);
});
