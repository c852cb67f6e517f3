import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { Channel, ChannelCapabilities, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { openSqliteStore, StoreError } from "@factotum/store";
import type { NewOutbound, OutboxRecord, SqliteStore } from "@factotum/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryLogger, realRandom, TestPlatform } from "../../test/gateway-harness.ts";
import { HookRunner } from "../hooks/hook-runner.ts";
import { Observer } from "../observe/observer.ts";
import { ConversationMoves } from "../channels/conversation-moves.ts";
import { AccountGates } from "./account-gates.ts";
import { Dispatcher } from "./dispatcher.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const REFUSED: SendReceipt = { type: "rejected", code: "rejected", retry: { type: "never" }, message: "bad markup" };
const TOO_LONG: SendReceipt = { type: "rejected", code: "too-long", retry: { type: "never" } };

/** A clock that jumps to each timer's due time: waiting takes no real time. */
function createLeapingClock(): Clock & { nowMs: number; readonly waits: number[] } {
  const clock = {
    nowMs: NOW_MS,
    waits: [] as number[],
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    schedule: (delayMs: number, callback: () => void): Disposable => {
      let isOver = false;
      // Ignores the send timeout.
      if (delayMs !== 60_000)
        queueMicrotask(() => {
          if (isOver) return;
          clock.nowMs += delayMs;
          clock.waits.push(delayMs);
          callback();
        });
      return { [Symbol.dispose]: () => void (isOver = true) };
    },
  };
  return clock;
}

let folder = "";
let store: SqliteStore;
let clock: ReturnType<typeof createLeapingClock>;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-dispatcher-"));
  clock = createLeapingClock();
  store = await open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<SqliteStore> {
  return openSqliteStore({
    folder: path.join(folder, "state"),
    copies: { folder: () => path.join(folder, "sessions"), cwd: () => folder, agents: async () => [] },
    onDamage: () => undefined,
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    random: realRandom,
    logger: createMemoryLogger(),
  });
}

function origin(id = "dm-1"): Origin {
  return { channel: "test", accountId: "default", conversation: { kind: "direct", id } };
}

function row(text: string, extra: Partial<NewOutbound> & { readonly replyTo?: string } = {}): NewOutbound {
  const { replyTo, ...rest } = extra;
  return {
    sessionKey: "agent:main:main",
    target: origin(),
    outbound: { type: "text", text, ...(replyTo === undefined ? {} : { replyTo: messageId(replyTo) }) },
    purpose: "reply",
    idempotencyKey: text,
    dueAtMs: NOW_MS,
    expiresAtMs: NOW_MS + DAY_MS,
    state: "waiting",
    ...rest,
  };
}

/** A platform that answers as `answer` says, behind a dispatcher. */
class Scene {
  readonly asked: { readonly text: string; readonly key: string; readonly replyTo: string | undefined }[] = [];
  readonly shown: string[] = [];
  readonly settled: OutboxRecord[] = [];
  readonly late: (readonly [text: string, nextTryMs: number])[] = [];
  readonly working: string[] = [];
  readonly gates: AccountGates;
  readonly dispatcher: Dispatcher;
  isRunning = true;
  afterSettled: () => void = () => undefined;

  constructor(
    answer: (text: string, count: number) => SendReceipt | Promise<SendReceipt>,
    { idempotentSend, ...capabilities }: Partial<ChannelCapabilities> = {},
    { reads = 0, code = "EIO" }: { readonly reads?: number; readonly code?: string } = {},
  ) {
    let failures = reads;
    const channel = new ScriptedChannel(answer, this, { ...capabilities, idempotentSend });
    this.gates = new AccountGates({
      clock,
      random: { ...realRandom, float: () => 0.5 },
      logger: createMemoryLogger(),
    });
    this.gates.events.on("account-works", ({ accountId }) => this.working.push(accountId));
    this.dispatcher = new Dispatcher({
      store,
      channelFor: () => (this.isRunning ? channel.channel : undefined),
      moves: new ConversationMoves(),
      isStarted: () => this.isRunning,
      isConfigured: () => true,
      readFile: async () => {
        if (failures-- > 0) throw Object.assign(new Error(code), { code });
        return undefined;
      },
      gates: this.gates,
      clock,
      random: { ...realRandom, float: () => 0.5 },
      logger: createMemoryLogger(),
      observer: new Observer({ clock, logger: createMemoryLogger(), currentTurn: () => undefined }),
      hooks: new HookRunner({ sources: () => [], clock, logger: createMemoryLogger() }),
      outside: (work) => work(),
    });
    this.dispatcher.events.on("row-late", (one, { nextTryMs }) => this.late.push([one.outbound.text, nextTryMs - NOW_MS]));
    this.dispatcher.events.on("row-settled", (one) => {
      this.settled.push(one);
      this.afterSettled();
    });
  }

  async send(...rows: readonly NewOutbound[]): Promise<void> {
    this.dispatcher.dispatch(await store.addOutbound(rows));
    await this.dispatcher.idle();
  }
}

class ScriptedChannel {
  readonly channel: Pick<Channel, "send" | "capabilities"> & Channel;

  constructor(
    answer: (text: string, count: number) => SendReceipt | Promise<SendReceipt>,
    scene: Pick<Scene, "asked" | "shown">,
    capabilities: Omit<Partial<ChannelCapabilities>, "idempotentSend"> & {
      readonly idempotentSend: ChannelCapabilities["idempotentSend"] | undefined;
    },
  ) {
    const plain = new TestPlatform().channel;
    const { idempotentSend: _none, ...others } = plain.capabilities;
    const { idempotentSend, ...given } = capabilities;
    this.channel = {
      ...plain,
      capabilities: { ...others, ...given, ...withoutUndefined({ idempotentSend }) },
      send: async (_target: Origin, outbound: Outbound, { idempotencyKey }) => {
        if (outbound.type !== "text" && outbound.type !== "edit") throw new Error("only texts and edits are sent here");
        const text = outbound.type === "edit" ? `edit: ${outbound.text}` : outbound.text;
        scene.asked.push({ text, key: idempotencyKey, replyTo: outbound.type === "edit" ? undefined : outbound.replyTo });
        const receipt = await answer(text, scene.asked.length);
        if (receipt.type === "accepted") scene.shown.push(text);
        return receipt;
      },
    };
  }
}

const yes = (): SendReceipt => ({ type: "accepted", messageIds: [messageId("m")] });

describe("a message that is rejected for its content", () => {
  test("is sent once more without markup, and ahead of later messages", async () => {
    const scene = new Scene((text) => (text.includes("**") ? REFUSED : yes()));
    await scene.send(row("**Hello** [there](https://example.com)", { replyTo: "m1" }), row("later"));
    expect(scene.shown).toEqual(["Hello there (https://example.com)", "later"]);
    expect(scene.asked.map(({ replyTo }) => replyTo)).toEqual(["m1", "m1", undefined]);
    expect(new Set(scene.asked.map(({ key }) => key)).size).toBe(3);
    expect(scene.settled.map(({ state }) => state.type)).toEqual(["accepted", "accepted"]);
  });

  test("is halved until its parts are accepted: nothing is lost or repeated, and the order is kept", async () => {
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
    const scene = new Scene((text) => (text.length > 150 ? TOO_LONG : yes()));
    await scene.send(row(words.join(" "), { replyTo: "m1" }), row("later"));
    expect(scene.shown.at(-1)).toBe("later");
    expect(scene.shown.slice(0, -1).join(" ").split(" ")).toEqual(words);
    expect(scene.asked.filter(({ replyTo }) => replyTo !== undefined && replyTo === "m1").at(-1)?.text).toBe(scene.shown[0]);
  });

  test("is sent without a reply when the message it replies to is gone", async () => {
    const scene = new Scene(() => (scene.asked.at(-1)?.replyTo === undefined ? yes() : { ...REFUSED, code: "not-found" }));
    await scene.send(row("Hello", { replyTo: "m1" }));
    expect(scene.shown).toEqual(["Hello"]);
  });

  test("is given up after a bounded number of attempts when every form is rejected", async () => {
    const scene = new Scene((text) => (text === "later" ? yes() : REFUSED));
    await scene.send(row("**a** `b` [c](d)", { replyTo: "m1" }), row("later"));
    expect(scene.asked.length).toBeLessThanOrEqual(5);
    expect(scene.settled.map(({ state }) => state.type)).toEqual(["dead", "accepted"]);
    const never = new Scene(() => TOO_LONG);
    await never.send(row("x".repeat(5_000)));
    expect(never.shown).toEqual([]);
    expect(new Set(never.settled.map(({ state }) => state.type))).toEqual(new Set(["dead"]));
    expect(await store.listPendingOutbound({ limit: 9 })).toEqual([]);
  });

  test("keeps its remaining lifetime when the wall clock jumps past its end", async () => {
    const scene = new Scene((_text, count) => {
      if (count > 1) return yes();
      clock.now = () => clock.nowMs + 2 * DAY_MS;
      return REFUSED;
    });
    await scene.send(row("**Hello**"));
    expect(scene.shown).toEqual(["Hello"]);
  });

  test("keeps its position across a restart between the rejection and the simpler form", async () => {
    const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    const [first] = await store.addOutbound([row(long, { state: "sending" }), row("later")]);
    const half = long.indexOf("word30");
    await store.replaceOutbound(first?.id ?? "", [row(long.slice(0, half).trim()), row(long.slice(half))], {
      reason: "too-long",
      nowMs: NOW_MS,
    });
    await store.close();
    store = await open();
    const scene = new Scene(yes);
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.shown.join(" ")).toBe(`${long} later`);
  });
});

describe("a message that is not accepted at the moment", () => {
  test("is retried after the platform's delay, under the same key", async () => {
    const scene = new Scene((_, count) =>
      count < 3 ? { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 7_000 } } : yes(),
    );
    await scene.send(row("Hello"));
    expect(clock.waits).toEqual([7_000, 7_000]);
    expect(new Set(scene.asked.map(({ key }) => key))).toEqual(new Set(["Hello"]));
  });

  test("is retried past eight rate limits, also when it has no delay of its own, until it is accepted", async () => {
    const scene = new Scene((_, count) =>
      count <= 20
        ? { type: "rejected", code: "rate-limited", retry: { type: count % 2 === 0 ? "backoff" : "after", delayMs: 90_000 } }
        : yes(),
    );
    await scene.send(row("Hello"));
    expect(scene.shown).toEqual(["Hello"]);
    expect(scene.settled).toMatchObject([{ state: { type: "accepted" }, attempts: 21, refusals: 0 }]);
  });

  test("is retried after the delay that the platform names, a preview too", async () => {
    const scene = new Scene((_, count) =>
      count === 1 ? { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 7_000 } } : yes(),
    );
    await scene.send(row("Hello", { purpose: "preview" }));
    expect(clock.waits).toEqual([7_000]);
    expect(scene.settled).toMatchObject([{ state: { type: "accepted" } }]);
  });

  test("is retried with exponential backoff and jitter, and given up after eight attempts", async () => {
    const scene = new Scene(() => ({ type: "rejected", code: "rejected", retry: { type: "backoff" } }));
    await scene.send(row("Hello"));
    expect(clock.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(scene.settled).toMatchObject([{ state: { type: "dead" } }]);
  });

  test("has the same number of attempts when it was claimed at its commit", async () => {
    const scene = new Scene(() => ({ type: "rejected", code: "rejected", retry: { type: "backoff" } }));
    await scene.send(row("Hello", { state: "sending" }));
    expect(scene.asked).toHaveLength(8);
    expect(clock.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(scene.settled).toMatchObject([{ attempts: 8, state: { type: "dead" } }]);
  });

  test("waits for a channel that is not running, past eight attempts, until it expires", async () => {
    const back = new Scene(yes);
    back.isRunning = false;
    clock.waits.push = (...waits: number[]) => {
      if (clock.nowMs > NOW_MS + 3_600_000) back.isRunning = true;
      return waits.length;
    };
    await back.send(row("Hello"));
    expect(back.shown).toEqual(["Hello"]);
    const gone = new Scene(yes);
    gone.isRunning = false;
    await gone.send(row("late", { dueAtMs: clock.nowMs, expiresAtMs: clock.nowMs + 3_600_000 }));
    expect(gone.settled).toMatchObject([{ state: { type: "dead", reason: expect.stringContaining("time ran out") } }]);
  });

  test("still has its eight attempts after a long time without a channel: waiting is no attempt", async () => {
    const scene = new Scene((_, count) => (count < 8 ? { type: "rejected", code: "rejected", retry: { type: "backoff" } } : yes()));
    scene.isRunning = false;
    clock.waits.push = (...waits: number[]) => {
      if (clock.nowMs > NOW_MS + 3_600_000) scene.isRunning = true;
      return waits.length;
    };
    await scene.send(row("Hello"));
    expect(scene.asked).toHaveLength(8);
    expect(scene.shown).toEqual(["Hello"]);
  });

  test("is not sent nine days late: expired rows are given up without a request", async () => {
    const scene = new Scene(yes);
    await store.addOutbound(Array.from({ length: 50 }, (_, index) => row(`old ${index}`)));
    clock.nowMs += 9 * DAY_MS;
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.asked).toEqual([]);
    expect(scene.settled.map(({ state }) => state.type)).toEqual(Array.from({ length: 50 }, () => "dead"));
  });

  test("is not sent after its expiry, even if the platform's delay is longer", async () => {
    const scene = new Scene(() => ({ type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 2 * DAY_MS } }));
    await scene.send(row("Hello"));
    expect(scene.asked).toHaveLength(1);
    expect(clock.nowMs).toBe(NOW_MS + DAY_MS);
    expect(scene.settled).toMatchObject([{ state: { type: "dead" } }]);
  });
});

test("an account sends no faster than its channel declares", async () => {
  const scene = new Scene(yes, { limits: { sendRate: { count: 2, perMs: 5_000 } } });
  const startMs = clock.nowMs;
  await scene.send(row("1"), row("2"), row("3"), row("4"), row("5"));
  expect(scene.shown).toEqual(["1", "2", "3", "4", "5"]);
  expect(clock.nowMs - startMs).toBe(10_000);
});

describe("a conversation whose first message waits", () => {
  const HOUR_MS = 3_600_000;
  const slowDown = (delayMs: number): SendReceipt => ({
    type: "rejected",
    code: "rate-limited",
    retry: { type: "after", delayMs },
    message: "slow down",
  });

  /** Halts the clock at the first wait of this length. */
  function stopAt(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leap = clock.schedule.bind(clock);
    clock.schedule = (waitMs, callback) => {
      if (waitMs < delayMs) return leap(waitMs, callback);
      resolve();
      return { [Symbol.dispose]: () => undefined };
    };
    return promise;
  }

  test("is listed with the reason, its age, the next attempt and all waiting rows, until they are sent", async () => {
    const scene = new Scene((text, count) => (text === "one" && count === 1 ? slowDown(HOUR_MS) : yes()));
    clock.nowMs += 5_000;
    const waits = stopAt(HOUR_MS);
    scene.dispatcher.dispatch(
      await store.addOutbound([row("one"), row("two", { state: "sending" }), row("free", { target: origin("dm-2") })]),
    );
    await waits;
    expect(scene.dispatcher.blocked).toEqual([
      {
        sessionKey: "agent:main:main",
        target: origin(),
        waiting: 2,
        reason: "rate-limited: slow down",
        sinceMs: NOW_MS + 5_000,
        nextTryMs: NOW_MS + 5_000 + HOUR_MS,
        isLate: true,
      },
    ]);
    expect((await store.counts()).outboxWaiting).toBe(2);
    const done = new Scene((_, count) => (count === 1 ? slowDown(1_000) : yes()));
    await done.send(row("short", { target: origin("dm-3") }));
    expect(done.dispatcher.blocked).toEqual([]);
  });

  test("is not listed while its message is not due yet", async () => {
    const scene = new Scene(yes);
    const waits = stopAt(600_000);
    scene.dispatcher.dispatch(await store.addOutbound([row("later", { dueAtMs: NOW_MS + 600_000 })]));
    await waits;
    expect(scene.dispatcher.blocked).toEqual([]);
  });

  test.each([
    ["is reported at once when the delay is long", [15 * 60_000], [["Hello", 15 * 60_000]]],
    ["is reported once when short delays add up", [8 * 60_000, 8 * 60_000, 50_000], [["Hello", 16 * 60_000]]],
    ["is not reported below a quarter of an hour", [14 * 60_000], []],
  ])("%s", async (_name, delays, late) => {
    const left = [...delays];
    const scene = new Scene(() => {
      const delayMs = left.shift();
      return delayMs === undefined ? yes() : slowDown(delayMs);
    });
    await scene.send(row("Hello"));
    expect(scene.shown).toEqual(["Hello"]);
    expect(scene.late).toEqual(late);
  });

  test("keeps the platform's delay and the block's details across a restart", async () => {
    const before = new Scene(() => slowDown(10 * HOUR_MS));
    const waits = stopAt(10 * HOUR_MS);
    before.dispatcher.dispatch(await store.addOutbound([row("Hello")]));
    await waits;
    await before.dispatcher.close();
    await store.close();
    clock = createLeapingClock();
    clock.nowMs += 2 * HOUR_MS;
    store = await open();
    const scene = new Scene(yes);
    const again = stopAt(8 * HOUR_MS);
    await scene.dispatcher.recover();
    await again;
    expect(scene.dispatcher.blocked).toMatchObject([{ reason: "rate-limited: slow down", nextTryMs: NOW_MS + 10 * HOUR_MS }]);
    expect(scene.asked).toEqual([]);
  });

  test("waits no longer than the platform's delay when the clock was set back", async () => {
    const [first] = await store.addOutbound([row("Hello", { state: "sending" })]);
    const at = { nowMs: NOW_MS + 5 * HOUR_MS };
    await store.settleOutbound(first?.id ?? "", { type: "receipt", receipt: slowDown(45_000), retryAtMs: at.nowMs + 45_000 }, at);
    clock.nowMs = NOW_MS + HOUR_MS;
    const scene = new Scene(yes);
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(clock.waits).toEqual([45_000]);
    expect(scene.shown).toEqual(["Hello"]);
  });
});

describe("an account that its platform rejects", () => {
  const HOUR_MS = 3_600_000;
  const WRONG_SECRET: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };
  const known = { idempotentSend: { windowMs: HOUR_MS, maxKeyLength: 64 } };
  const conversations = Array.from({ length: 5 }, (_, index) => `dm-${index}`);
  const rows = (): readonly NewOutbound[] =>
    conversations.flatMap((id) => [
      row(`${id} **one**`, { target: origin(id), state: "sending" }),
      row(`${id} two`, { target: origin(id), state: "sending" }),
    ]);

  /** Fires timers in order whenever everything else is idle. Stops with the returned function. */
  function runTimersInOrder(): () => void {
    const timers: { readonly atMs: number; readonly callback: () => void }[] = [];
    let isOver = false;
    clock.schedule = (delayMs, callback) => {
      const timer = { atMs: clock.nowMs + delayMs, callback };
      // Ignores the send timeout.
      if (delayMs !== 60_000) timers.push(timer);
      return { [Symbol.dispose]: () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1)) };
    };
    const run = async (): Promise<void> => {
      while (!isOver) {
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        const next = timers.toSorted((one, other) => one.atMs - other.atMs)[0];
        if (next === undefined) continue;
        clock.nowMs = Math.max(clock.nowMs, next.atMs);
        next.callback();
      }
    };
    void run();
    return () => void (isOver = true);
  }

  test("sends one message as a probe, with backoff, and everything in order once it is accepted", async () => {
    const scene = new Scene(() => (clock.nowMs < NOW_MS + HOUR_MS ? WRONG_SECRET : yes()), known);
    const stop = runTimersInOrder();
    await scene.send(...rows());
    stop();
    // Before the first answer each conversation may have one message on the wire; after it only probes are sent.
    expect(scene.asked.length - scene.shown.length).toBeLessThan(conversations.length + 40);
    expect(clock.nowMs).toBeLessThan(NOW_MS + HOUR_MS + 360_000);
    expect(scene.settled.map(({ state }) => state.type)).toEqual(scene.settled.map(() => "accepted"));
    expect(scene.shown.toSorted()).toEqual(
      rows()
        .map(({ outbound }) => outbound.text)
        .toSorted(),
    );
    for (const id of conversations) expect(scene.shown.filter((text) => text.startsWith(id))).toEqual([`${id} **one**`, `${id} two`]);
    expect(scene.working).toEqual(["default"]);
    expect(scene.gates.problemOf(origin())).toBeUndefined();
  });

  test("gives its reason to every conversation that waits for it, while other accounts continue", async () => {
    const [gate, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const scene = new Scene(async (text) => {
      if (text === "elsewhere") return yes();
      if (scene.asked.length <= 10) return WRONG_SECRET;
      reached.resolve();
      await gate.promise;
      return WRONG_SECRET;
    });
    const stop = runTimersInOrder();
    const other = { ...origin("dm-9"), accountId: "second" };
    scene.dispatcher.dispatch(await store.addOutbound([...rows(), row("elsewhere", { target: other })]));
    await reached.promise;
    expect(scene.shown).toEqual(["elsewhere"]);
    expect(scene.gates.problemOf(origin())).toBe("unauthorized: app secret invalid");
    expect(scene.gates.problemOf(other)).toBeUndefined();
    expect(scene.dispatcher.blocked.map(({ reason, waiting }) => `${waiting} ${reason}`)).toEqual(
      conversations.map(() => "2 unauthorized: app secret invalid"),
    );
    // Of the first row of each conversation only the probe is claimed: after a kill the others certainly were not sent.
    const pending = await store.listPendingOutbound({ limit: 20 });
    const firsts = pending.filter(({ outbound }) => outbound.text.includes("**"));
    expect(firsts.filter(({ state }) => state.type === "sending")).toHaveLength(1);
    expect(scene.dispatcher.sending).toBe(1);
    gate.resolve();
    await scene.dispatcher.close();
    stop();
  });

  test("gives its messages up when they expire, and not before", async () => {
    const scene = new Scene(() => WRONG_SECRET);
    const stop = runTimersInOrder();
    const expiresAtMs = NOW_MS + 2 * HOUR_MS;
    await scene.send(row("Hello", { expiresAtMs }), row("later", { target: origin("dm-2"), expiresAtMs }));
    stop();
    expect(clock.nowMs).toBeGreaterThanOrEqual(expiresAtMs);
    expect(scene.settled.map(({ state }) => state)).toEqual(
      scene.settled.map(() => ({ type: "dead", reason: "it could not be sent before its time ran out" })),
    );
    expect(scene.late.map(([text]) => text).toSorted()).toEqual(["Hello", "later"]);
    // With this random number the longest backoff is 150 s, however many messages wait.
    expect(scene.asked.length).toBeLessThan(75);
  });

  test("drops previews, and their answers are sent without one", async () => {
    const scene = new Scene((_, count) => (count === 1 ? WRONG_SECRET : yes()));
    await scene.send(row("growing", { purpose: "preview" }), row("grown", { purpose: "preview" }), row("answer"));
    expect(scene.shown).toEqual(["answer"]);
    expect(scene.settled.map(({ state }) => state.type)).toEqual(["replaced", "replaced", "accepted"]);
  });

  test("gets a waiting edit as an edit once it is accepted again, not as a new message", async () => {
    const scene = new Scene((text, count) => (text.startsWith("edit") && count === 2 ? WRONG_SECRET : yes()));
    const [first] = await store.addOutbound([row("Hello")]);
    if (first === undefined) throw new Error("no row");
    scene.dispatcher.dispatch([first]);
    await scene.dispatcher.idle();
    await scene.send(row("Hello there", { outbound: { type: "edit", of: first.id, shown: 5, text: "Hello there" } }));
    expect(scene.asked.map(({ text }) => text)).toEqual(["Hello", "edit: Hello there", "edit: Hello there"]);
  });

  test("drops a rejected preview at once: a restart does not send it", async () => {
    const scene = new Scene(() => {
      void scene.dispatcher.close();
      return WRONG_SECRET;
    });
    await scene.send(row("growing", { purpose: "preview" }));
    const next = new Scene(yes);
    await next.dispatcher.recover();
    await next.dispatcher.idle();
    expect(next.asked).toEqual([]);
  });

  test("keeps unsent messages as waiting, so that a restart sends them even if the platform knows no keys", async () => {
    const refusing = new Scene(() => WRONG_SECRET);
    clock.schedule = () => ({ [Symbol.dispose]: () => undefined });
    refusing.dispatcher.dispatch(await store.addOutbound([row("first")]));
    await expect.poll(() => refusing.gates.problemOf(origin())).toBeDefined();
    refusing.dispatcher.dispatch(await store.addOutbound([row("second", { target: origin("dm-2"), state: "sending" })]));
    await expect.poll(() => refusing.dispatcher.blocked.length).toBe(2);
    await refusing.dispatcher.close();

    const scene = new Scene(yes);
    clock.nowMs += HOUR_MS;
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.shown.toSorted()).toEqual(["first", "second"]);
    expect(refusing.asked.map(({ text }) => text)).toEqual(["first"]);
  });

  test("is retried at once when its credential changes", async () => {
    let isRefused = true;
    const scene = new Scene(() => (isRefused ? WRONG_SECRET : yes()));
    const schedule = clock.schedule.bind(clock);
    clock.schedule = (delayMs, callback) => {
      if (scene.asked.length < 10) return schedule(delayMs, callback);
      // No timer fires any more, so what follows is caused by the change.
      isRefused = false;
      queueMicrotask(() => scene.gates.retryNow(origin()));
      return { [Symbol.dispose]: () => undefined };
    };
    await scene.send(row("Hello"));
    expect(scene.shown).toEqual(["Hello"]);
    expect(scene.asked).toHaveLength(11);
  });

  test("does not count as working after an answer that does not prove its credential", async () => {
    const answers: SendReceipt[] = [
      WRONG_SECRET,
      { type: "rejected", code: "unreachable", retry: { type: "backoff" } },
      { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 1_000 } },
    ];
    const problems: (string | undefined)[] = [];
    const scene = new Scene(() => {
      problems.push(scene.gates.problemOf(origin()));
      return answers.shift() ?? yes();
    });
    await scene.send(row("Hello"));
    const problem = "unauthorized: app secret invalid";
    expect(problems).toEqual([undefined, problem, problem, problem]);
    const forbidden = new Scene((_, count) =>
      count === 1 ? WRONG_SECRET : { type: "rejected", code: "forbidden", retry: { type: "never" } },
    );
    await forbidden.send(row("Hi"));
    expect(forbidden.gates.problemOf(origin())).toBeUndefined();
    expect(forbidden.working).toEqual([]);
  });
});

describe("a message without an answer from the platform", () => {
  const lost: SendReceipt = { type: "ambiguous", cause: "the connection broke" };

  test("is sent again only if the platform recognises its key", async () => {
    const known = new Scene((_, count) => (count === 1 ? lost : yes()), { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } });
    await known.send(row("Hello"));
    expect(known.asked.map(({ key }) => key)).toEqual(["Hello", "Hello"]);
    const unknown = new Scene(() => lost);
    await unknown.send(row("Bye"));
    expect(unknown.asked).toHaveLength(1);
    expect(unknown.settled).toMatchObject([{ state: { type: "ambiguous" } }]);
  });

  test("is sent again if it is an edit of a sent message, which repeats harmlessly, but not if it is sent as a new message", async () => {
    const [sent] = await store.addOutbound([row("Hello")]);
    if (sent === undefined) throw new Error("no row");
    const scene = new Scene((text, count) => (text.startsWith("edit") && count === 2 ? lost : yes()));
    scene.dispatcher.dispatch([sent]);
    await scene.dispatcher.idle();
    await scene.send(row("Hello there", { outbound: { type: "edit", of: sent.id, shown: 5, text: "Hello there" } }));
    expect(scene.asked.map(({ text }) => text)).toEqual(["Hello", "edit: Hello there", "edit: Hello there"]);
    const [unsent] = await store.addOutbound([row("Bye", { state: "suppressed" })]);
    if (unsent === undefined) throw new Error("no row");
    const other = new Scene(() => lost);
    await other.send(row("Bye now", { outbound: { type: "edit", of: unsent.id, shown: 3, text: "Bye now" } }));
    expect(other.asked.map(({ text }) => text)).toEqual(["Bye now"]);
  });

  test("survives ten shutdowns during its send, which are no attempts: the platform rejected nothing", async () => {
    const known = { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } };
    await store.addOutbound([row("Hello", { state: "sending" })]);
    for (let count = 1; count <= 10; count += 1) {
      const life = new Scene(async () => new Promise(() => undefined), known);
      await life.dispatcher.recover();
      // It stops here, while the platform has the request.
      expect(life.dispatcher.pending).toBe(1);
      while (life.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const scene = new Scene((_, count) => (count < 8 ? lost : yes()), known);
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.shown).toEqual(["Hello"]);
    expect(new Set(scene.asked.map(({ key }) => key))).toEqual(new Set(["Hello"]));
  });

  test.each([
    ["repeats are recognised", { idempotentSend: { windowMs: DAY_MS, maxKeyLength: 64 } }, ["one", "two"], []],
    ["repeats are not recognised", {}, [], ["one", "two"]],
  ])("rows claimed at a stop are kept until their channel runs again, when %s", async (_when, capabilities, shown, ambiguous) => {
    await store.addOutbound([row("one", { state: "sending" }), row("two", { state: "sending" })]);
    const scene = new Scene(yes, capabilities);
    scene.isRunning = false;
    await scene.dispatcher.recover();
    while (scene.dispatcher.blocked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(scene.settled).toEqual([]);
    expect(scene.dispatcher.blocked).toMatchObject([{ waiting: 2, reason: expect.stringContaining("is not running") }]);
    scene.isRunning = true;
    await scene.dispatcher.idle();
    expect(scene.shown).toEqual(shown);
    expect(scene.settled.flatMap((one) => (one.state.type === "ambiguous" ? [one.idempotencyKey] : []))).toEqual(ambiguous);
  });

  test("a row claimed at a stop stays claimed when the gateway stops again before its channel runs", async () => {
    const [claimed] = await store.addOutbound([row("one", { state: "sending" })]);
    const scene = new Scene(yes);
    scene.isRunning = false;
    await scene.dispatcher.recover();
    await scene.dispatcher.close();
    expect((await store.readOutbound(claimed?.id ?? ""))?.state.type).toBe("sending");
  });

  test("a row claimed at a stop whose channel never runs again ends as ambiguous when it expires", async () => {
    await store.addOutbound([row("one", { state: "sending" })]);
    const scene = new Scene(yes);
    scene.isRunning = false;
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.settled).toMatchObject([{ state: { type: "ambiguous" } }]);
    expect(clock.nowMs).toBeGreaterThanOrEqual(NOW_MS + DAY_MS);
  });

  test("is reported after a kill on the wire, if it cannot be sent again", async () => {
    await store.addOutbound([row("Hello", { state: "sending" })]);
    const scene = new Scene(yes);
    await scene.dispatcher.recover();
    await scene.dispatcher.idle();
    expect(scene.asked).toEqual([]);
    expect(scene.settled).toMatchObject([{ state: { type: "ambiguous" } }]);
  });
});

describe("while the store fails", () => {
  /** Fails the next calls of a method, like an unreliable disk. */
  function failNext(method: "claimOutbound" | "settleOutbound", count: number): void {
    const call = store[method].bind(store) as (...parameters: unknown[]) => Promise<unknown>;
    let left = count;
    Object.assign(store, {
      [method]: async (...parameters: unknown[]) => {
        if (left-- > 0) throw new StoreError("internal", "The disk could not be read.");
        return call(...parameters);
      },
    });
  }

  test("a conversation waits, and loses neither its messages nor their order", async () => {
    const scene = new Scene(yes);
    failNext("claimOutbound", 3);
    await scene.send(row("one"), row("two"));
    expect(scene.shown).toEqual(["one", "two"]);
    expect(clock.waits).toEqual([250, 500, 1_000]);
  });

  test("a message whose receipt could not be recorded is sent again if the platform knows the key, and reported otherwise", async () => {
    const known = new Scene(yes, { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } });
    failNext("settleOutbound", 1);
    await known.send(row("one"), row("two"));
    expect(known.asked.map(({ key }) => key)).toEqual(["one", "one", "two"]);
    const unknown = new Scene(yes);
    failNext("settleOutbound", 1);
    await unknown.send(row("three"), row("four"));
    expect(unknown.asked.map(({ key }) => key)).toEqual(["three", "four"]);
    expect(unknown.settled[0]).toMatchObject({ state: { type: "ambiguous" } });
  });
});

describe("a file that cannot be read", () => {
  const file = { type: "media", file: "f", kind: "file", mimeType: "text/plain", fileName: "a.txt", text: "📎 a.txt" } as const;

  test("keeps its position during a temporary failure; if it is gone, its name is sent", async () => {
    const scene = new Scene(yes, {}, { reads: 3, code: "EMFILE" });
    await scene.send(row("unused", { outbound: file, idempotencyKey: "file" }), row("later"));
    expect(scene.asked.map(({ text }) => text)).toEqual(["📎 a.txt (this file could not be sent)", "later"]);
    expect(clock.waits).toHaveLength(3);
  });

  test.each(["EACCES", "EIO", "EISDIR"])("for good (%s) is replaced by its name at once, without delaying later messages", async (code) => {
    const scene = new Scene(yes, {}, { reads: Number.POSITIVE_INFINITY, code });
    await scene.send(row("unused", { outbound: file, idempotencyKey: "file" }), row("later"));
    expect(scene.shown).toEqual(["📎 a.txt (this file could not be sent)", "later"]);
    expect(clock.waits).toEqual([]);
  });
});

describe("a channel that throws instead of returning a receipt", () => {
  const known = { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } };

  test("rejects the message for good with an error of its own, without a retry of the same form", async () => {
    const scene = new Scene((text) => {
      if (text.includes("**")) throw new TypeError("Cannot read properties of undefined (reading 'id')");
      return yes();
    }, known);
    await scene.send(row("**Hello**"), row("later"));
    expect(scene.asked.map(({ text }) => text)).toEqual(["**Hello**", "Hello", "later"]);
    const never = new Scene(() => {
      throw new TypeError("This fetch takes a text for body.");
    }, known);
    await never.send(row("Bye"));
    expect(never.asked).toHaveLength(1);
    expect(never.settled).toMatchObject([{ state: { type: "dead", reason: expect.stringMatching(/^rejected: /) } }]);
  });

  test("leaves it open whether the message was shown if the connection broke", async () => {
    const scene = new Scene((_, count) => {
      if (count === 1) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      return yes();
    }, known);
    await scene.send(row("Hello"));
    expect(scene.asked.map(({ key }) => key)).toEqual(["Hello", "Hello"]);
  });
});

test("a row behind another one at a kill was never sent: it is sent, however late", async () => {
  const known = { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } };
  await store.addOutbound([row("first"), row("second", { state: "sending" })]);
  clock.nowMs += 12 * 3_600_000;
  const scene = new Scene(yes, known);
  await scene.dispatcher.recover();
  await scene.dispatcher.idle();
  expect(scene.shown).toEqual(["first", "second"]);
});

test("a row that is dispatched twice is sent once", async () => {
  const scene = new Scene(yes, { idempotentSend: { windowMs: 3_600_000, maxKeyLength: 64 } });
  const notice = row("Hello", { state: "sending" });
  for (let count = 0; count < 3; count += 1) scene.dispatcher.dispatch(await store.addOutbound([row("first"), notice]));
  await scene.dispatcher.idle();
  expect(scene.shown).toEqual(["first", "Hello"]);
});

test.each<[string, Origin]>([
  ["another person", origin("dm-2")],
  ["another account", { ...origin(), accountId: "second" }],
  ["another channel", { ...origin(), channel: "other" }],
  ["a group with the same id", { ...origin(), conversation: { kind: "group", id: "dm-1" } }],
  ["a thread of the same conversation", { ...origin(), conversation: { kind: "direct", id: "dm-1", threadId: "t-1" } }],
])("a message to %s does not wait for one that is being sent", async (_name, target) => {
  const free = Promise.withResolvers<void>();
  const scene = new Scene(async (text) => {
    if (text === "free") free.resolve();
    else await free.promise;
    return yes();
  });
  await scene.send(row("held"), row("behind it"), row("free", { target }));
  expect(scene.shown).toEqual(["free", "held", "behind it"]);
});

test("a row committed at the moment its conversation's queue runs empty is sent", async () => {
  const scene = new Scene(yes);
  const late = await store.addOutbound([row("late")]);
  scene.afterSettled = () => {
    scene.afterSettled = () => undefined;
    queueMicrotask(() => scene.dispatcher.dispatch(late));
  };
  await scene.send(row("first"));
  expect(scene.shown).toEqual(["first", "late"]);
});

describe("a row that was damaged on disk", () => {
  /** Changes a stored text behind the store's back. */
  function damage(text: string): void {
    const database = new DatabaseSync(path.join(folder, "state", "factotum.sqlite"));
    const { changes } = database
      .prepare("UPDATE outbox SET payload = replace(payload, ?, 'something else') WHERE payload LIKE ?")
      .run(text, `%${text}%`);
    expect(changes).toBe(1);
    database.close();
  }

  test("is never sent from the queue: later rows continue, and it is reported", async () => {
    const scene = new Scene((text) => {
      if (text === "first") damage("second");
      return yes();
    });
    await scene.send(row("first"), row("second"), row("third"), row("elsewhere", { target: origin("dm-2") }));
    expect(scene.shown.toSorted()).toEqual(["elsewhere", "first", "third"]);
    expect(scene.settled.filter(({ state }) => state.type !== "accepted")).toMatchObject([
      { outbound: { text: "second" }, target: origin(), state: { type: "dead", reason: "damaged" } },
    ]);
    expect(await store.listPendingOutbound({ limit: 9 })).toEqual([]);
    expect((await store.listDeadLetters({ limit: 9 })).items).toMatchObject([{ type: "outbound", state: "dead", reason: "damaged" }]);
    await scene.send(row("later"));
    expect(scene.shown).toContain("later");
  });

  test("on the wire ends with the platform's receipt, and blocks nothing", async () => {
    const scene = new Scene((text) => {
      if (text !== "later") damage(text);
      return text === "refused" ? REFUSED : text === "put off" ? { type: "rejected", code: "rejected", retry: { type: "backoff" } } : yes();
    });
    await scene.send(row("taken"), row("refused"), row("put off"), row("later"));
    expect(scene.asked.map(({ text }) => text)).toEqual(["taken", "refused", "put off", "later"]);
    expect(scene.settled.map(({ state }) => state)).toMatchObject([
      { type: "accepted" },
      { type: "dead", reason: "damaged" },
      { type: "dead", reason: "damaged" },
      { type: "accepted" },
    ]);
  });
});
