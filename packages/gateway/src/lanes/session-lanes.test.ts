import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LaneAbort, SessionLanes } from "./session-lanes.ts";

interface Job {
  readonly id: string;
}

/** Lanes whose items end when the test says so. */
function createLanes(capacity: number) {
  const running = new Map<string, () => void>();
  const log: string[] = [];
  const errors: unknown[] = [];
  const lanes = new SessionLanes<Job>({
    capacity,
    process: async (sessionKey, job, { signal }) => {
      log.push(`start ${sessionKey}/${job.id}`);
      await new Promise<void>((resolve) => {
        running.set(job.id, resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      running.delete(job.id);
      log.push(`end ${sessionKey}/${job.id}`);
    },
    onQueueChange: () => undefined,
    onError: (_key, error) => errors.push(error),
  });
  return { lanes, running, log, errors, finish: (id: string) => running.get(id)?.() };
}

/** Lets everything that is ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe("session lanes", () => {
  test("a session works one item at a time, in order, and others do not wait for it", async () => {
    const { lanes, log, finish } = createLanes(8);
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("a", { id: "a2" });
    lanes.enqueue("b", { id: "b1" });
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1"]);
    expect(lanes.queued("a")).toBe(1);
    finish("a1");
    await settle();
    expect(log).toEqual(["start a/a1", "start b/b1", "end a/a1", "start a/a2"]);
  });

  test("an abort ends the running item, hands back what waits, and the next item runs", async () => {
    const { lanes, log } = createLanes(1);
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("a", { id: "a2" });
    await settle();
    const result = lanes.abort("a", { reason: "stop", drop: () => true });
    expect(result).toEqual({ aborted: true, dropped: [{ id: "a2" }] });
    lanes.enqueue("a", { id: "a3" });
    await settle();
    expect(log).toEqual(["start a/a1", "end a/a1", "start a/a3"]);
  });

  test("a job that rejects is reported and does not hold its session", async () => {
    const errors: unknown[] = [];
    const done: string[] = [];
    const lanes = new SessionLanes<Job>({
      capacity: 1,
      process: async (_key, job) => {
        if (job.id === "bad") throw new LaneAbort("broken");
        done.push(job.id);
      },
      onQueueChange: () => undefined,
      onError: (_key, error) => errors.push(error),
    });
    lanes.enqueue("a", { id: "bad" });
    lanes.enqueue("a", { id: "good" });
    await settle();
    expect(errors).toHaveLength(1);
    expect(done).toEqual(["good"]);
    expect(lanes.active).toBe(0);
  });

  test("close ends what runs, starts nothing more and resolves when all has ended", async () => {
    const { lanes, log } = createLanes(1);
    lanes.enqueue("a", { id: "a1" });
    lanes.enqueue("b", { id: "b1" });
    await settle();
    await lanes.close("shutdown");
    lanes.enqueue("c", { id: "c1" });
    await settle();
    expect(log).toEqual(["start a/a1", "end a/a1"]);
  });

  test("seeded interleavings agree with a simple model", async () => {
    const action = fc.oneof(
      fc.record({ type: fc.constant("enqueue" as const), session: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ type: fc.constant("finish" as const), pick: fc.nat() }),
      fc.record({ type: fc.constant("abort" as const), session: fc.integer({ min: 0, max: 4 }), drop: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(action, { maxLength: 40 }), async (capacity, actions) => {
        const { lanes, running, log, finish } = createLanes(capacity);
        const accepted: string[] = [];
        const dropped = new Set<string>();
        let count = 0;
        for (const step of actions) {
          if (step.type === "enqueue") {
            const id = `j${(count += 1)}`;
            accepted.push(`s${step.session}/${id}`);
            lanes.enqueue(`s${step.session}`, { id });
          } else if (step.type === "finish") finish([...running.keys()][step.pick % Math.max(1, running.size)] ?? "");
          else for (const job of lanes.abort(`s${step.session}`, { reason: "x", drop: () => step.drop }).dropped) dropped.add(job.id);
          await settle();
          expect(running.size).toBeLessThanOrEqual(capacity);
          expect(running.size).toBe(lanes.active);
        }
        while (running.size > 0) {
          for (const id of running.keys()) finish(id);
          await settle();
        }
        const kept = accepted.filter((name) => !dropped.has(name.split("/")[1] ?? ""));
        const started = log.filter((line) => line.startsWith("start ")).map((line) => line.slice(6));
        expect(started.toSorted()).toEqual(kept.toSorted());
        for (let session = 0; session < 5; session += 1) {
          const prefix = `s${session}/`;
          expect(started.filter((name) => name.startsWith(prefix))).toEqual(kept.filter((name) => name.startsWith(prefix)));
          // Inside a session the next start comes after the last end.
          const own = log.filter((line) => line.includes(prefix)).map((line) => line.split(" ")[0]);
          expect(own).toEqual(own.map((_, index) => (index % 2 === 0 ? "start" : "end")));
        }
      }),
      { numRuns: 300 },
    );
  });
});
