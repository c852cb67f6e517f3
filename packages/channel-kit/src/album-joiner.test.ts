import { expect, test, vi } from "vitest";
import { ManualClock } from "../test/manual-clock.ts";
import { createAlbumJoiner } from "./index.ts";
import type { AlbumJoiner } from "./index.ts";

interface Scene {
  readonly clock: ManualClock;
  readonly passed: (readonly string[])[];
  readonly joiner: AlbumJoiner<string, string>;
  /** Adds parts, each with its own name as id; returns what was acknowledged so far. */
  readonly add: (key: string, ...parts: readonly string[]) => string[];
  /** Ends the commit of the newest album. */
  readonly commit: (error?: Error) => Promise<void>;
}

function createScene(): Scene {
  const clock = new ManualClock(0);
  const passed: (readonly string[])[] = [];
  const commits: PromiseWithResolvers<string>[] = [];
  const acknowledged: string[] = [];
  const joiner = createAlbumJoiner<string, string>({
    clock,
    waitMs: 500,
    maxWaitMs: 2_000,
    async pass(parts) {
      passed.push(parts);
      const commit = Promise.withResolvers<string>();
      commits.push(commit);
      return commit.promise;
    },
  });
  return {
    clock,
    passed,
    joiner,
    add(key, ...parts) {
      for (const part of parts)
        joiner.add(key, { id: part, part }).then(
          () => acknowledged.push(part),
          () => acknowledged.push(`not ${part}`),
        );
      return acknowledged;
    },
    async commit(error) {
      const commit = commits.pop();
      if (error === undefined) commit?.resolve("stored");
      else commit?.reject(error);
      await vi.waitFor(() => expect(commits).toEqual([]));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("parts become one message, and none is acknowledged before it is stored", async () => {
  const { clock, passed, add, commit } = createScene();
  const acknowledged = add("album", "a", "b");
  clock.advance(400);
  add("album", "c");
  clock.advance(499);
  expect(passed).toEqual([]);
  clock.advance(1);
  expect(passed).toEqual([["a", "b", "c"]]);
  expect(acknowledged).toEqual([]);
  await commit();
  expect(acknowledged).toEqual(["a", "b", "c"]);
  expect(clock.pending).toEqual([]);
});

test("an album that was not stored acknowledges no part, and is complete when the platform delivers it again", async () => {
  const { clock, passed, add, commit } = createScene();
  const acknowledged = add("album", "a", "b");
  clock.advance(500);
  await commit(new Error("disk full"));
  expect(acknowledged).toEqual(["not a", "not b"]);
  add("album", "b", "a");
  clock.advance(500);
  await commit();
  expect(passed).toEqual([
    ["a", "b"],
    ["b", "a"],
  ]);
});

test("a part that is delivered twice is in the album once, and both deliveries are acknowledged", async () => {
  const { clock, passed, add, commit } = createScene();
  const acknowledged = add("album", "a", "a");
  clock.advance(500);
  await commit();
  expect(passed).toEqual([["a"]]);
  expect(acknowledged).toEqual(["a", "a"]);
});

test("albums wait on their own, and each at most its time", () => {
  const { clock, passed, add } = createScene();
  for (let count = 0; count < 5; count += 1) {
    add("slow", `s${count}`);
    if (count === 4) add("other", "o");
    clock.advance(400);
  }
  expect(passed).toEqual([["s0", "s1", "s2", "s3", "s4"]]);
  clock.advance(100);
  expect(passed).toHaveLength(2);
});

test("a part that comes too late is a message of its own", () => {
  const { clock, passed, add } = createScene();
  add("album", "a");
  clock.advance(500);
  add("album", "b");
  clock.advance(500);
  expect(passed).toEqual([["a"], ["b"]]);
});

test("a stop passes on what waits, and waits for the commit or the signal", async () => {
  const { clock, passed, joiner, add, commit } = createScene();
  add("album", "a");
  let isStopped = false;
  const stopped = joiner.stop({ signal: new AbortController().signal }).then(() => (isStopped = true));
  expect(passed).toEqual([["a"]]);
  expect(clock.pending).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  await joiner.stop({ signal: AbortSignal.abort() });
  await commit();
  await stopped;
});
