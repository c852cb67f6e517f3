import { ChannelError } from "@factotum/channel-contract";
import type { AccountProgress } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createPoller } from "./index.ts";
import type { EventOutcome, Poller } from "./index.ts";

interface Update {
  readonly id: number;
  readonly album?: string;
  readonly ignored?: boolean;
}

const { signal } = new AbortController();
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A platform that keeps updates until it is asked with a later cursor, and holds a poll while there is none; and the host that stores them. */
class Scene {
  readonly host = createTestHost();
  readonly updates: Update[] = [];
  /** Cursors of the polls. */
  readonly polls: (string | undefined)[] = [];
  readonly stored: number[][] = [];
  readonly commits: (string | undefined)[] = [];
  cursor: string | undefined;
  pollFailure: Error | undefined;
  checkFailure: Error | undefined;
  storeFailures = 0;
  failAlbums = false;
  /** The event that no store takes. */
  impossible: number | undefined;
  concurrent = 0;
  /** Set to hold the commit of an event. */
  commit: Promise<void> | undefined;
  readonly poller: Poller;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor() {
    this.poller = createPoller<Update>({
      host: {
        ...this.host,
        random: { float: () => 0.5, bytes: () => new Uint8Array(), uuid: () => "" },
        cursor: async () => Promise.resolve(this.cursor),
        commit: async (progress) => Promise.resolve(this.#commit(progress)),
      },
      check: async () => (this.checkFailure === undefined ? Promise.resolve() : Promise.reject(this.checkFailure)),
      poll: (cursor, options) => this.#poll(cursor, options.signal),
      accept: (events, progress) => this.#accept(events, progress),
      albums: { keyOf: ({ album }) => album, waitMs: 500 },
    });
  }

  add(...updates: readonly Update[]): void {
    this.updates.push(...updates);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async #poll(cursor: string | undefined, ending: AbortSignal) {
    this.polls.push(cursor);
    this.concurrent += 1;
    expect(this.concurrent).toBe(1);
    try {
      for (;;) {
        if (this.pollFailure !== undefined) throw this.pollFailure;
        const events = this.updates.filter(({ id }) => id > Number(cursor ?? 0)).map((event) => ({ event, cursor: String(event.id) }));
        if (events.length > 0) return { events };
        const aborted = new Promise<never>((_, reject) => ending.addEventListener("abort", () => reject(ending.reason as Error)));
        await Promise.race([this.#wake.promise, aborted]);
      }
    } finally {
      this.concurrent -= 1;
    }
  }

  async #accept(events: readonly Update[], progress: AccountProgress): Promise<EventOutcome> {
    if (events[0]?.ignored === true) return { type: "ignored", reason: "test" };
    await this.commit;
    if (events[0]?.id === this.impossible) throw new RangeError("the id holds a NUL");
    if (this.failAlbums && events.length > 1) throw new Error("disk full");
    if (this.storeFailures > 0) {
      this.storeFailures -= 1;
      throw new Error("disk full");
    }
    this.stored.push(events.map(({ id }) => id));
    this.#commit(progress);
    return { type: "accepted" };
  }

  #commit({ cursor }: AccountProgress): void {
    this.commits.push(cursor);
    if (cursor !== undefined) this.cursor = cursor;
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(async () => scene.poller.stop({ signal }));

test("each event is stored with its cursor, in order, before the next poll", async () => {
  scene.cursor = "1";
  scene.add({ id: 1 }, { id: 2 }, { id: 3 });
  const release = Promise.withResolvers<void>();
  scene.commit = release.promise;
  await scene.poller.start({ signal });
  await settle();
  expect(scene.polls).toEqual(["1"]);
  release.resolve();
  await settle();
  expect(scene.stored).toEqual([[2], [3]]);
  expect(scene.commits).toEqual(["2", "3"]);
  scene.add({ id: 4 });
  await settle();
  expect(scene.polls).toEqual(["1", "3", "4"]);
});

test("ignored events move the cursor once", async () => {
  scene.add({ id: 1, ignored: true }, { id: 2 }, { id: 3, ignored: true });
  await scene.poller.start({ signal });
  await settle();
  expect(scene.stored).toEqual([[2]]);
  expect(scene.commits).toEqual(["2", "3"]);
});

test("an event that was not stored is asked for again with backoff, and nothing behind it is stored before", async () => {
  scene.storeFailures = 1;
  scene.add({ id: 1 }, { id: 2 });
  await scene.poller.start({ signal });
  await settle();
  expect(scene.stored).toEqual([]);
  expect(scene.poller.health()).toMatchObject({ state: "degraded", detail: "an event could not be read or stored; it is asked for again" });
  scene.host.clock.advance(500);
  await settle();
  expect(scene.stored).toEqual([[1], [2]]);
  expect(scene.polls).toEqual([undefined, undefined, "2"]);
  expect(scene.poller.health().state).toBe("connected");
});

test("an event that can never be stored is counted and holds up no other", async () => {
  scene.impossible = 1;
  scene.add({ id: 1 }, { id: 2 });
  await scene.poller.start({ signal });
  await settle();
  expect(scene.stored).toEqual([[2]]);
  expect(scene.commits).toEqual(["2"]);
  expect(scene.poller.health().detail).toBe("1 message could not be read and is lost; see the log");
});

test("failed polls are retried with growing delays, and the platform's own delay comes first", async () => {
  await scene.poller.start({ signal });
  scene.pollFailure = new Error("no answer");
  scene.add({ id: 1 });
  await settle();
  expect(scene.poller.health()).toMatchObject({ state: "disconnected", detail: "no answer" });
  expect(scene.host.clock.pending).toEqual([500]);
  scene.pollFailure = new ChannelError("rate-limited", "slow down", { retry: { type: "after", delayMs: 7_000 } });
  scene.host.clock.advance(500);
  await settle();
  expect(scene.host.clock.pending).toEqual([8_000]);
  scene.pollFailure = undefined;
  scene.host.clock.advance(8_000);
  await settle();
  expect(scene.stored).toEqual([[1]]);
});

test("an album is complete before it is stored, and no cursor stands inside it", async () => {
  scene.add({ id: 1, album: "a" });
  await scene.poller.start({ signal });
  await settle();
  scene.add({ id: 2 }, { id: 3, album: "a" });
  await settle();
  expect(scene.stored).toEqual([]);
  scene.host.clock.advance(500);
  await settle();
  scene.host.clock.advance(500);
  await settle();
  expect(scene.stored).toEqual([[2], [1, 3]]);
  expect(scene.commits).toEqual([undefined, "3"]);
  expect(scene.polls).toEqual([undefined, undefined, undefined, "3"]);
});

test("a crash before an album is stored loses no part and tears none off", async () => {
  scene.add({ id: 1, album: "a" }, { id: 2 }, { id: 3, album: "a" });
  scene.failAlbums = true;
  await scene.poller.start({ signal });
  await settle();
  scene.host.clock.advance(500);
  await settle();
  expect(scene.stored).toEqual([[2]]);
  await scene.poller.stop({ signal });
  const { updates, cursor } = scene;
  expect(cursor).toBeUndefined();
  scene = new Scene();
  scene.add(...updates);
  await scene.poller.start({ signal });
  await settle();
  scene.host.clock.advance(500);
  await settle();
  expect(scene.stored).toEqual([[2], [1, 3]]);
  expect(scene.cursor).toBe("3");
});

test("a start with wrong credentials rejects, and can be made again", async () => {
  scene.checkFailure = new ChannelError("unauthorized", "wrong token", { retry: { type: "never" } });
  await expect(scene.poller.start({ signal })).rejects.toBe(scene.checkFailure);
  expect(scene.polls).toEqual([]);
  expect(scene.poller.health()).toMatchObject({ state: "disconnected", detail: "wrong token" });
  scene.checkFailure = undefined;
  await scene.poller.start({ signal });
  await settle();
  expect(scene.poller.health()).toMatchObject({ state: "connected", evidenceAtMs: 0 });
});

test("a stop ends the poll and waits for the event that is being stored; nothing is polled after it", async () => {
  const release = Promise.withResolvers<void>();
  scene.commit = release.promise;
  scene.add({ id: 1 }, { id: 2 });
  await scene.poller.start({ signal });
  await settle();
  let isStopped = false;
  const stopped = scene.poller.stop({ signal }).then(() => (isStopped = true));
  await settle();
  expect(isStopped).toBe(false);
  release.resolve();
  await stopped;
  expect(scene.stored).toEqual([[1]]);
  expect(scene.polls).toHaveLength(1);
  expect(scene.host.clock.pending).toEqual([]);
  expect(scene.poller.health()).toEqual({ state: "stopped" });
});

test("an answer has one cursor on some platforms, and an empty one at once is followed by a pause", async () => {
  const host = createTestHost();
  const commits: (string | undefined)[] = [];
  const answers = [{ events: [{ event: 1 }, { event: 2 }], cursor: "next" }];
  let polls = 0;
  const poller = createPoller<number>({
    host: {
      ...host,
      random: { float: () => 0, bytes: () => new Uint8Array(), uuid: () => "" },
      cursor: async () => Promise.resolve(undefined),
      commit: async ({ cursor }) => Promise.resolve(void commits.push(cursor)),
    },
    check: async () => Promise.resolve(),
    poll: async () => {
      polls += 1;
      return Promise.resolve(answers.shift() ?? { events: [], cursor: "next" });
    },
    accept: async (_, progress) => {
      commits.push(progress.cursor);
      return Promise.resolve({ type: "accepted" });
    },
  });
  await poller.start({ signal });
  await settle();
  expect(commits).toEqual([undefined, undefined, "next"]);
  expect(polls).toBe(2);
  host.clock.advance(1_000);
  await settle();
  expect(polls).toBe(3);
  await poller.stop({ signal });
});
