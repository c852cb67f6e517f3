import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import { expect, test } from "vitest";
import { watchDatabase } from "./watch-database.ts";

/** A store whose file can be removed, and a clock with a manual timer. */
function createScene({ failures = 0, failure = new Error("the disk is full") } = {}) {
  const state = { isUnlinked: false, done: [] as string[], failures };
  let [pending, delayMs]: [(() => void) | undefined, number] = [undefined, 0];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    schedule: (ms, run) => {
      [pending, delayMs] = [run, ms];
      return { [Symbol.dispose]: () => (pending = undefined) };
    },
  };
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message) => void state.done.push(`log: ${message.split(":")[0]}`),
    child: () => logger,
  };
  const watch = watchDatabase({
    store: {
      get isUnlinked() {
        return state.isUnlinked;
      },
      saveUnlinked: async () => {
        state.done.push("save");
        if (state.failures-- > 0) throw failure;
      },
    },
    clock,
    logger,
    refuse: () => state.done.push("refuse"),
    onSaved: () => state.done.push("saved"),
  });
  const look = async (): Promise<void> => {
    const run = pending;
    pending = undefined;
    run?.();
    for (let turn = 0; turn < 5; turn += 1) await nextTick();
  };
  return { state, watch, look, isWaiting: () => pending !== undefined, delayMs: () => delayMs };
}

test("leaves a database alone while its file stays, and checks every few seconds", async () => {
  const scene = createScene();
  for (let count = 0; count < 3; count += 1) await scene.look();
  expect(scene.state.done).toEqual([]);
  expect(scene.isWaiting()).toBe(true);
  expect(scene.delayMs()).toBeLessThanOrEqual(5000);
});

test("when the file is gone nothing new is accepted until it is saved, and then the store is opened again", async () => {
  const scene = createScene();
  await scene.look();
  scene.state.isUnlinked = true;
  await scene.look();
  expect(scene.state.done).toEqual([expect.stringMatching(/^log: The database was deleted or replaced/), "refuse", "save", "saved"]);
  expect(scene.isWaiting()).toBe(false);
});

test("retries a failed save, even when a file is there again, and the store stays open until one succeeds", async () => {
  const scene = createScene({ failures: 2 });
  scene.state.isUnlinked = true;
  await scene.look();
  scene.state.isUnlinked = false;
  await scene.look();
  expect(scene.state.done.filter((one) => one.startsWith("log: What"))).toHaveLength(1);
  expect(scene.state.done).not.toContain("saved");
  await scene.look();
  expect(scene.state.done.filter((one) => !one.startsWith("log"))).toEqual(["refuse", "save", "save", "save", "saved"]);
});

test("a damaged database is not saved, not retried and not reported as saved: the store has reported it", async () => {
  const scene = createScene({ failures: 1, failure: new StoreError("damaged", "The database is damaged as well.") });
  scene.state.isUnlinked = true;
  await scene.look();
  expect(scene.state.done).toEqual([
    expect.stringMatching(/^log: The database was deleted or replaced/),
    "refuse",
    "save",
    "log: The database is damaged as well",
  ]);
  expect(scene.isWaiting()).toBe(false);
});

test("ends with the gateway", async () => {
  const scene = createScene();
  scene.watch[Symbol.dispose]();
  expect(scene.isWaiting()).toBe(false);
});
