import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LanePlace } from "./lane-place.ts";
import { LaneAbort } from "../kernel/lane-abort.ts";
import { LANES, type LaneName } from "../run-policy/run-policy.ts";
import { SessionLanes } from "./session-lanes.ts";

interface Job {
  readonly id: string;
  readonly lane?: LaneName;
  readonly notBeforeMs?: number;
  readonly isSolo?: boolean;
  readonly goesFirst?: boolean;
}

const laneOf = (job: Job): LaneName => job.lane ?? "main";

/** A clock that advances only when the test says so; timers fire in order of their due times. */
class TestTime {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  readonly monotonic = (): number => this.#nowMs;

  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  };

  /** Advances to the next timer. */
  advance(): void {
    const [next] = [...this.#timers].sort((one, other) => one.atMs - other.atMs);
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.callback();
  }

  get timers(): number {
    return this.#timers.size;
  }
}

/** Lanes whose items run until the test ends them. */
function createLanes(capacities: Partial<Record<LaneName, number>>) {
  const running = new Map<string, { readonly end: () => void; readonly place: LanePlace; readonly signal: AbortSignal }>();
  const log: string[] = [];
  const errors: unknown[] = [];
  const time = new TestTime();
  const lanes = new SessionLanes<Job>({
    capacities: () => ({ main: 1, subagent: 1, cron: 1, ...capacities }),
    laneOf,
    notBeforeMs: (job) => job.notBeforeMs,
    overtakes: (job, waiting) => laneOf(job) === "main" && laneOf(waiting) === "cron",
    isSolo: (job) => job.isSolo === true,
    goesFirst: (job) => job.goesFirst === true,
    clock: time,
    process: async (sessionKey, job, { signal, place }) => {
      if (job.id === "bad") throw new Error("broken");
      log.push(`start ${sessionKey}/${job.id}`);
      await new Promise<void>((resolve) => {
        running.set(job.id, { end: resolve, place, signal });
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      running.delete(job.id);
      log.push(`end ${sessionKey}/${job.id}`);
    },
    onQueueChange: () => undefined,
    onForgotten: (sessionKey, job) => log.push(`forgotten ${sessionKey}/${job.id}`),
    onError: (_key, error) => errors.push(error),
  });
  return {
    lanes,
    running,
    log,
    errors,
    time,
    finish: (id: string) => running.get(id)?.end(),
    leave: (id: string) => running.get(id)?.place.leave(),
    enter: (id: string) => {
      const { place, signal } = running.get(id) ?? {};
      if (place === undefined || signal === undefined) return;
      void place.enter(signal).then(
        () => running.has(id) && log.push(`enter ${id}`),
        () => undefined,
      );
    },
  };
}

/** Runs all pending microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe("session lanes", () => {
  test("a session runs one item at a time, in order, without delaying other sessions", async () => {
    const { lanes, log, finish } = createLanes({ main: 8 });
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("a", { id: "a2" });
    lanes.enqueue("b", { id: "b1" });
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1"]);
    expect([lanes.queued("a"), lanes.queued("nobody")]).toEqual([1, 0]);
    finish("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1", "end a/a1", "start a/a2"]);
  });

  test("an abort ends the running item, and the next one starts", async () => {
    const { lanes, log } = createLanes({});
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("a", { id: "a2" });
    await settle();
    expect(lanes.abort("a", new LaneAbort("stop"))).toBe(true);
    expect(lanes.abort("b", new LaneAbort("stop"))).toBe(false);
    await settle();
    expect(log).toEqual(["start a/a1", "end a/a1", "start a/a2"]);
  });

  test("an item that rejects is reported and does not block its session", async () => {
    const { lanes, log, errors } = createLanes({});
    lanes.enqueue("a", { id: "bad" });
    lanes.enqueue("a", { id: "good" });
    await settle();
    expect(errors).toHaveLength(1);
    expect(log).toEqual(["start a/good"]);
    expect(lanes.active).toBe(1);
  });

  test("close aborts running items, starts no more, reports the items it forgets and resolves when all have ended", async () => {
    const { lanes, log } = createLanes({});
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", { id: "b1" });
    await settle();
    await lanes.close("shutdown", { drainMs: 0 });
    lanes.enqueue("c", { id: "c1" });
    await settle();
    expect(log).toEqual(["start a/a1", "forgotten b/b1", "end a/a1", "forgotten c/c1"]);
    await lanes.idle();
  });

  test("close lets running items finish within the drain budget and aborts the rest", async () => {
    const { lanes, log, finish, time } = createLanes({ main: 2 });
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", { id: "b1" });
    lanes.enqueue("a", { id: "a2" });
    await settle();
    const closed = lanes.close("shutdown", { drainMs: 5000 });
    finish("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1", "forgotten a/a2", "end a/a1"]);
    time.advance();
    await closed;
    expect(log.at(-1)).toBe("end b/b1");
    expect(time.monotonic()).toBe(5000);
  });

  test("a full lane does not delay other lanes, and attended items overtake unattended ones", async () => {
    const { lanes, log } = createLanes({});
    lanes.enqueue("a", { id: "beat", lane: "cron" });
    lanes.enqueue("b", { id: "beat-b", lane: "cron" });
    lanes.enqueue("b", { id: "said" });
    lanes.enqueue("c", { id: "child", lane: "subagent" });
    await settle();
    expect(log).toEqual(["start a/beat", "start b/said", "start c/child"]);
  });

  test("solo items run one at a time over all lanes, and delay no other item", async () => {
    const { lanes, log, finish } = createLanes({ main: 8 });
    lanes.enqueue("a", { id: "a1", isSolo: true });
    lanes.enqueue("b", { id: "b1", isSolo: true, lane: "subagent" });
    lanes.enqueue("b", { id: "b2" });
    lanes.enqueue("c", { id: "c1" });
    await settle();
    expect(log).toEqual(["start a/a1", "start c/c1"]);
    finish("a1");
    await settle();
    expect(log.slice(2)).toEqual(["end a/a1", "start b/b1"]);
    lanes.abort("b", new LaneAbort("stop"));
    await settle();
    expect(log.slice(4)).toEqual(["end b/b1", "start b/b2"]);
  });

  test("an item that has left its place lets others start, and enters again ahead of items that have not started", async () => {
    const { lanes, log, finish, leave, enter } = createLanes({});
    for (const session of ["a", "b", "c"]) lanes.enqueue(session, { id: `${session}1` });
    await settle();
    expect(log).toEqual(["start a/a1"]);
    leave("a1");
    leave("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1"]);
    enter("a1");
    await settle();
    expect(lanes.active).toBe(2);
    leave("b1");
    await settle();
    expect(log.slice(2)).toEqual(["enter a1"]);
    finish("b1");
    await settle();
    expect(log.slice(3)).toEqual(["end b/b1"]);
    finish("a1");
    await settle();
    expect(log.slice(4)).toEqual(["end a/a1", "start c/c1"]);
  });

  test("an item that waits to enter again is admitted while the lanes close, and an aborted one takes no place", async () => {
    const { lanes, log, finish, leave, enter, time } = createLanes({});
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", { id: "b1" });
    await settle();
    leave("a1");
    await settle();
    enter("a1");
    lanes.enqueue("c", { id: "c1" });
    const closed = lanes.close("shutdown", { drainMs: 5000 });
    finish("b1");
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1", "forgotten c/c1", "end b/b1", "enter a1"]);
    time.advance();
    await closed;
    expect(lanes.active).toBe(0);
  });

  test("an item with goesFirst starts ahead of the others in its lane", async () => {
    const { lanes, log, finish } = createLanes({});
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", { id: "b1" });
    lanes.enqueue("c", { id: "c1", goesFirst: true });
    await settle();
    finish("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "end a/a1", "start c/c1"]);
  });

  test.each(["replace", "prepend"] as const)("a session loses its position in line when %s puts a held item at its head", async (how) => {
    const { lanes, log, finish, time } = createLanes({});
    const head = { id: "b1" };
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", head);
    lanes.enqueue("c", { id: "c1" });
    await settle();
    const held = { id: "held", notBeforeMs: 500 };
    if (how === "replace") expect(lanes.replace("b", head, held)).toBe(true);
    else lanes.prepend("b", held);
    finish("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "end a/a1", "start c/c1"]);
    finish("c1");
    await settle();
    time.advance();
    await settle();
    expect(log.slice(3)).toEqual(["end c/c1", "start b/held"]);
  });

  test("a held item delays the items behind it, and idle waits for it", async () => {
    const { lanes, log, time, finish } = createLanes({});
    lanes.enqueue("a", { id: "held", notBeforeMs: 500 });
    lanes.enqueue("a", { id: "next" });
    await settle();
    expect(log).toEqual([]);
    const idle = lanes.idle();
    time.advance();
    await settle();
    finish("held");
    await settle();
    expect(log).toEqual(["start a/held", "end a/held", "start a/next"]);
    finish("next");
    await idle;
  });
});

/** A reference model of the lanes, as simple as possible: after every step it recomputes what may start. */
class Model {
  readonly queues = new Map<string, Job[]>();
  readonly running = new Map<string, Job>();
  readonly #capacities: Readonly<Record<LaneName, number>>;
  /** Sessions that wait for a place, with their line; a session that changes lines goes to the end. */
  #ready: { readonly session: string; readonly line: string }[] = [];
  /** Sessions whose running job has left its place; and those of them that wait to enter again, in order. */
  readonly away = new Set<string>();
  readonly returning: string[] = [];

  constructor(capacities: Readonly<Record<LaneName, number>>) {
    this.#capacities = capacities;
  }

  queue(session: string): Job[] {
    const queue = this.queues.get(session) ?? [];
    this.queues.set(session, queue);
    return queue;
  }

  enqueue(session: string, job: Job): void {
    const queue = this.queue(session);
    const behind = laneOf(job) === "main" ? queue.findLastIndex((waiting) => laneOf(waiting) !== "cron") + 1 : queue.length;
    queue.splice(behind, 0, job);
  }

  /** Ends the running job of a session. */
  end(session: string): void {
    this.running.delete(session);
    this.away.delete(session);
    const at = this.returning.indexOf(session);
    if (at !== -1) this.returning.splice(at, 1);
  }

  /** Enters and starts everything that may, and returns it. */
  look(nowMs: number): { readonly started: readonly string[]; readonly entered: readonly string[] } {
    const started: string[] = [];
    const entered: string[] = [];
    const hasPlace = (lane: LaneName): boolean =>
      [...this.running].filter(([session, job]) => !this.away.has(session) && laneOf(job) === lane).length < this.#capacities[lane];
    for (const session of this.returning.slice()) {
      const job = this.running.get(session);
      if (job === undefined || !hasPlace(laneOf(job))) continue;
      this.returning.splice(this.returning.indexOf(session), 1);
      this.away.delete(session);
      entered.push(job.id);
    }
    const isReady = (session: string): boolean => {
      const [head] = this.queue(session);
      return head !== undefined && !this.running.has(session) && (head.notBeforeMs ?? 0) <= nowMs;
    };
    const lineOf = (job: Job): string => `${laneOf(job)} ${job.goesFirst === true ? "first" : "others"}`;
    const lineOfHead = (session: string): string | undefined => this.queue(session).map(lineOf)[0];
    this.#ready = this.#ready.filter(({ session, line }) => isReady(session) && lineOfHead(session) === line);
    for (const session of this.queues.keys()) {
      const line = lineOfHead(session);
      if (line !== undefined && isReady(session) && !this.#ready.some((one) => one.session === session))
        this.#ready.push({ session, line });
    }
    const lines = LANES.flatMap((lane) => [`${lane} first`, `${lane} others`]);
    for (const { session } of lines.flatMap((line) => this.#ready.filter((one) => one.line === line))) {
      const [head] = this.queue(session);
      if (head === undefined) continue;
      if (!hasPlace(laneOf(head))) continue;
      if (head.isSolo === true && [...this.running.values()].some(({ isSolo }) => isSolo === true)) continue;
      this.queue(session).shift();
      this.running.set(session, head);
      started.push(`${session}/${head.id}`);
      this.#ready = this.#ready.filter((other) => other.session !== session);
    }
    return { started, entered };
  }
}

const session = fc.integer({ min: 0, max: 5 }).map((number) => `s${number}`);
/** Properties of every new item, however it is queued. */
const traits = fc.record({
  lane: fc.constantFrom(...LANES),
  isHeld: fc.integer({ min: 0, max: 3 }).map((pick) => pick === 0),
  isSolo: fc.integer({ min: 0, max: 3 }).map((pick) => pick === 0),
  goesFirst: fc.integer({ min: 0, max: 3 }).map((pick) => pick === 0),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("enqueue" as const), session, traits }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("finish" as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom("leave" as const, "enter" as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("abort" as const), session }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const), session, pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("replace" as const), session, pick: fc.nat(), traits }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("prepend" as const), session, traits }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("advance" as const) }) },
);

type Traits = typeof traits extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Rig = ReturnType<typeof createLanes> & { readonly model: Model; count: number };

/** No two items are held until the same moment, because their order would be undefined. */
function createJob(rig: Rig, { lane, isHeld, isSolo, goesFirst }: Traits): Job {
  rig.count += 1;
  const hold = isHeld ? { notBeforeMs: rig.time.monotonic() + 500 + rig.count / 1000 } : {};
  return { id: `j${rig.count}`, lane, isSolo, goesFirst, ...hold };
}

/** Applies one step to the lanes and to the model. */
function take(rig: Rig, action: Step): void {
  const { lanes, model, time } = rig;
  switch (action.type) {
    case "enqueue": {
      const job = createJob(rig, action.traits);
      lanes.enqueue(action.session, job);
      model.enqueue(action.session, job);
      return;
    }
    case "prepend": {
      const job = createJob(rig, action.traits);
      lanes.prepend(action.session, job);
      model.queue(action.session).unshift(job);
      return;
    }
    case "finish":
    case "abort": {
      const keys = [...model.running.keys()];
      const key = action.type === "abort" ? action.session : keys[action.pick % Math.max(1, keys.length)];
      const job = model.running.get(key ?? "");
      if (action.type === "abort") expect(lanes.abort(action.session, new LaneAbort("x"))).toBe(job !== undefined);
      else rig.finish(job?.id ?? "");
      model.end(key ?? "");
      return;
    }
    case "leave":
    case "enter": {
      const keys = [...model.running.keys()];
      const key = keys[action.pick % Math.max(1, keys.length)] ?? "";
      const id = model.running.get(key)?.id ?? "";
      const isWaiting = model.returning.includes(key);
      if (action.type === "leave" && !model.away.has(key)) {
        rig.leave(id);
        if (id !== "") model.away.add(key);
      }
      if (action.type === "enter" && model.away.has(key) && !isWaiting) {
        rig.enter(id);
        model.returning.push(key);
      }
      return;
    }
    case "remove":
    case "replace": {
      const queue = model.queue(action.session);
      const at = action.pick % Math.max(1, queue.length);
      const job = queue[at];
      if (job === undefined) return;
      if (action.type === "remove") {
        expect(lanes.remove(action.session, job)).toBe(true);
        queue.splice(at, 1);
      } else {
        const other = createJob(rig, action.traits);
        expect(lanes.replace(action.session, job, other)).toBe(true);
        queue.splice(at, 1, other);
      }
      return;
    }
    case "advance":
      return time.advance();
  }
}

/** Compares newly started and waiting items with the model. */
async function compare({ lanes, model, log, time, running }: Rig): Promise<void> {
  const before = log.length;
  await settle();
  const logged = (what: string): string[] =>
    log.slice(before).flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
  expect({ started: logged("start"), entered: logged("enter") }).toEqual(model.look(time.monotonic()));
  expect([...running.keys()].toSorted()).toEqual([...model.running.values()].map(({ id }) => id).toSorted());
  for (const [key, queue] of model.queues) expect(lanes.waiting(key)).toEqual(queue);
}

/** Number of interleavings; the long form runs 100,000 (`FACTOTUM_INTERLEAVINGS`). */
const INTERLEAVINGS = Number(process.env["FACTOTUM_INTERLEAVINGS"] ?? 2000);

test(
  `${INTERLEAVINGS} seeded interleavings match the reference model and leave nothing behind`,
  { timeout: 150 * INTERLEAVINGS },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ main: fc.integer({ min: 1, max: 3 }), subagent: fc.integer({ min: 1, max: 2 }), cron: fc.integer({ min: 1, max: 2 }) }),
        // Without a size, fast-check generates about ten steps: too few for sessions to queue up.
        fc.array(step, { maxLength: 20, size: "max" }),
        async (capacities, actions) => {
          const rig = Object.assign(createLanes(capacities), { model: new Model(capacities), count: 0 });
          for (const action of actions) {
            take(rig, action);
            await compare(rig);
          }
          const idle = rig.lanes.idle();
          while (rig.running.size > 0 || rig.time.timers > 0) {
            take(rig, rig.running.size > 0 ? { type: "finish", pick: 0 } : { type: "advance" });
            await compare(rig);
          }
          await idle;
          expect(rig.lanes.active).toBe(0);
          expect([...rig.model.queues.values()].flat()).toEqual([]);
        },
      ),
      { numRuns: INTERLEAVINGS, seed: 20_261_122 },
    );
  },
);
