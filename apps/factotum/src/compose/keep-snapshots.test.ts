import type { Clock, Logger } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { keepSnapshots } from "./keep-snapshots.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A store that counts its snapshots, and a clock that goes from timer to timer. */
function createScene(youngestMs: number | undefined, fails = false) {
  let [nowMs, takenAtMs, taken] = [100 * HOUR_MS, youngestMs, 0];
  let pending: { readonly atMs: number; readonly run: () => void } | undefined;
  const warnings: string[] = [];
  const settled: (() => void)[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    schedule: (delayMs, run) => {
      const timer = { atMs: nowMs + delayMs, run };
      pending = timer;
      for (const settle of settled.splice(0)) settle();
      return { [Symbol.dispose]: () => void (pending = pending === timer ? undefined : pending) };
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
    lastSnapshotAtMs: async () => takenAtMs,
    snapshot: async () => {
      taken += 1;
      if (fails) throw new Error("no space");
      takenAtMs = nowMs;
      return [];
    },
  };
  return {
    options: { store, clock, logger },
    warnings,
    taken: () => taken,
    isWaiting: () => pending !== undefined,
    waitsForMs: () => (pending === undefined ? undefined : pending.atMs - nowMs),
    /** Lets the next look happen; resolves when it is over. */
    look: async (): Promise<void> => {
      if (pending === undefined) throw new Error("nothing is scheduled");
      const { atMs, run } = pending;
      nowMs = atMs;
      const over = new Promise<void>((resolve) => settled.push(resolve));
      run();
      await over;
    },
  };
}

test("a snapshot is taken when there is none, and then once a day", async () => {
  const scene = createScene(undefined);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: false });
  await scene.look();
  expect(scene.taken()).toBe(1);
  for (let hour = 0; hour < 23; hour += 1) await scene.look();
  expect(scene.taken()).toBe(1);
  await scene.look();
  expect(scene.taken()).toBe(2);
});

test("the first look is a minute after the start: no message of the beginning waits for it, and what is killed often is looked at all the same", async () => {
  const scene = createScene(undefined);
  using _kept = keepSnapshots({ ...scene.options, wasKilled: true });
  expect(scene.waitsForMs()).toBe(MINUTE_MS);
  await scene.look();
  expect(scene.waitsForMs()).toBe(HOUR_MS);
});

test("after an unclean end a young one is no reason not to look", async () => {
  for (const wasKilled of [false, true]) {
    const scene = createScene(99 * HOUR_MS);
    using _kept = keepSnapshots({ ...scene.options, wasKilled });
    await scene.look();
    await scene.look();
    expect(scene.taken()).toBe(wasKilled ? 1 : 0);
  }
});

test("one of the future does not count, and one that fails is tried again", async () => {
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

test("nothing is looked at any more once it is disposed", () => {
  const scene = createScene(undefined);
  keepSnapshots({ ...scene.options, wasKilled: false })[Symbol.dispose]();
  expect(scene.isWaiting()).toBe(false);
});
