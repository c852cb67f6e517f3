import { describe, expect, test } from "vitest";
import type { JobRecord, OccurrenceRecord } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, ORIGIN } from "./samples.ts";

const MINUTE_MS = 60_000;

function job(id: string, changes: Partial<JobRecord> = {}): JobRecord {
  return {
    id,
    agentId: "main",
    spec: { name: `job ${id}`, schedule: { type: "every", every: "1m" }, payload: { type: "message", text: "ping" } },
    authority: { owner: true, sender: { id: "ou_1", name: "Ada", isBot: false }, origin: ORIGIN, sessionKey: "agent:main:main" },
    createdAtMs: NOW_MS,
    scheduledAtMs: NOW_MS,
    nextSlotMs: NOW_MS,
    failures: 0,
    ...changes,
  };
}

function slot(jobId: string, minute: number, changes: Partial<OccurrenceRecord> = {}): OccurrenceRecord {
  return { jobId, slotMs: NOW_MS + minute * MINUTE_MS, state: "claimed", attempt: 1, ...changes };
}

/** Scheduled jobs and the ledger of their slots. */
export function describeJobs(context: () => ContractContext): void {
  /** Claims slots that have their outcome. */
  const pass = async (minutes: readonly number[]): Promise<void> => {
    const { store } = context();
    await store.claimOccurrences(
      job("aaaa"),
      minutes.map((minute) => slot("aaaa", minute, { state: "done" })),
    );
  };
  const minutesOf = async (id: string): Promise<readonly number[]> =>
    (await context().store.listOccurrences(id, { limit: 9999 })).map(({ slotMs }) => (slotMs - NOW_MS) / MINUTE_MS);

  describe("jobs", () => {
    test("a job is stored with everything about it, survives a restart, and keeps its place when it changes", async () => {
      const first = job("aaaa", { target: ORIGIN, checked: "1/2", alertedAtMs: NOW_MS, disabledBecause: "it failed" });
      await context().store.putJob(first);
      await context().store.putJob(job("bbbb", { system: "heartbeat" }));
      const { nextSlotMs: _none, ...changed } = { ...first, failures: 3 };
      await context().store.putJob(changed);
      await context().store.close();
      const store = await context().fixture.open();
      expect(await store.listJobs()).toEqual([changed, job("bbbb", { system: "heartbeat" })]);
      expect(await store.readJob("aaaa")).toEqual(changed);
      expect(await store.readJob("cccc")).toBeUndefined();
    });

    test("a slot gets one row, in the commit that moves its job on", async () => {
      const { store } = context();
      await store.putJob(job("aaaa"));
      await store.putJob(job("bbbb"));
      const moved = job("aaaa", { nextSlotMs: NOW_MS + 2 * MINUTE_MS });
      const rows = [slot("aaaa", 0, { state: "missed", reason: "it was down", count: 7 }), slot("aaaa", 1)];
      expect(await store.claimOccurrences(moved, rows)).toEqual(rows);
      expect(await store.readJob("aaaa")).toEqual(moved);
      expect(await store.claimOccurrences(moved, [slot("aaaa", 1), slot("aaaa", 2)])).toEqual([slot("aaaa", 2)]);
      expect(await store.claimOccurrences(job("bbbb"), [slot("bbbb", 1)])).toEqual([slot("bbbb", 1)]);
      expect(await minutesOf("aaaa")).toEqual([2, 1, 0]);
      expect(await store.listOccurrences("aaaa", { limit: 1 })).toEqual([slot("aaaa", 2)]);
    });

    test("a claim of a job that is gone adds nothing, nor does it bring the job back", async () => {
      const { store } = context();
      expect(await store.claimOccurrences(job("aaaa"), [slot("aaaa", 0)])).toEqual([]);
      await store.putOccurrence(slot("aaaa", 0, { state: "done" }), job("aaaa"));
      expect(await store.listJobs()).toEqual([]);
      expect(await minutesOf("aaaa")).toEqual([]);
    });

    test("an outcome and what it changes of the job are one commit; without a row it is dropped", async () => {
      const { store } = context();
      await store.putJob(job("aaaa"));
      await store.claimOccurrences(job("aaaa"), [slot("aaaa", 0)]);
      const failed = slot("aaaa", 0, { state: "failed", reason: "no", attempt: 2, endedAtMs: NOW_MS, text: "x", tokens: 1, costUsd: 0.5 });
      await store.putOccurrence(failed, job("aaaa", { failures: 1 }));
      await store.putOccurrence(slot("aaaa", 5, { state: "done" }));
      expect(await store.listOccurrences("aaaa", { limit: 9 })).toEqual([failed]);
      expect((await store.readJob("aaaa"))?.failures).toBe(1);
    });

    test("of what a slot has sent the worst receipt counts, also while its outcome is stored", async () => {
      const { store } = context();
      await store.putJob(job("aaaa"));
      await store.claimOccurrences(job("aaaa"), [slot("aaaa", 0)]);
      const receipt = async (): Promise<unknown> => (await store.listOccurrences("aaaa", { limit: 1 }))[0]?.receipt;
      expect(await receipt()).toBeUndefined();
      await store.addReceipt(slot("aaaa", 0), "delivered");
      await store.putOccurrence(slot("aaaa", 0, { state: "done" }));
      expect(await receipt()).toBe("delivered");
      await store.addReceipt(slot("aaaa", 0), "ambiguous");
      await store.addReceipt(slot("aaaa", 0), "delivered");
      expect(await store.listOccurrences("aaaa", { limit: 1 })).toEqual([slot("aaaa", 0, { state: "done", receipt: "ambiguous" })]);
      await store.addReceipt(slot("aaaa", 7), "delivered");
      expect(await minutesOf("aaaa")).toEqual([0]);
    });

    test("those that are claimed or running are found after a restart, oldest first, with their addresses", async () => {
      const { store } = context();
      for (const id of ["aaaa", "bbbb"]) await store.putJob(job(id));
      await store.claimOccurrences(job("bbbb"), [slot("bbbb", 1), slot("bbbb", 3)]);
      await store.claimOccurrences(job("aaaa"), [slot("aaaa", 2), slot("aaaa", 4, { state: "missed" })]);
      const running = slot("bbbb", 1, { state: "running", origin: ORIGIN, sessionKey: "cron:bbbb:1", startedAtMs: NOW_MS });
      await store.putOccurrence(running);
      await store.putOccurrence(slot("bbbb", 3, { state: "skipped", reason: "gate" }));
      await store.close();
      expect(await (await context().fixture.open()).listOpenOccurrences()).toEqual([running, slot("aaaa", 2)]);
    });

    test("a job goes with its occurrences, and no other", async () => {
      const { store } = context();
      for (const id of ["aaaa", "bbbb"]) {
        await store.putJob(job(id));
        await store.claimOccurrences(job(id), [slot(id, 0)]);
      }
      expect(await store.removeJob("aaaa")).toBe(true);
      expect(await store.removeJob("aaaa")).toBe(false);
      expect((await store.listJobs()).map(({ id }) => id)).toEqual(["bbbb"]);
      expect((await store.listOpenOccurrences()).map(({ jobId }) => jobId)).toEqual(["bbbb"]);
    });

    test("keeps the newest 200 outcomes of a job, all of its last hour, and what has none yet", async () => {
      const { store } = context();
      await store.putJob(job("aaaa"));
      await store.claimOccurrences(job("aaaa"), [slot("aaaa", -500)]);
      await pass(Array.from({ length: 205 }, (_, index) => index));
      const kept = await minutesOf("aaaa");
      expect([kept.length, kept.at(-2), kept.at(-1)]).toEqual([201, 5, -500]);
      // A job of every ten seconds.
      await pass(Array.from({ length: 300 }, (_, index) => 300 + index / 6));
      expect((await minutesOf("aaaa")).filter((minute) => minute >= 300)).toHaveLength(300);
      // A clock that is set back finds the rows of the slots it has come to a second time.
      expect(await store.claimOccurrences(job("aaaa"), [slot("aaaa", 300)])).toEqual([]);
    });

    test("rows of a clock that was far ahead do not take the place of present ones", async () => {
      const { store } = context();
      await store.putJob(job("aaaa"));
      const ahead = Array.from({ length: 250 }, (_, index) => slot("aaaa", 500_000 + index, { state: "missed" }));
      await store.claimOccurrences(job("aaaa"), ahead);
      for (const minute of [0, 1, 2]) await pass([minute]);
      expect((await minutesOf("aaaa")).filter((minute) => minute < 9)).toEqual([2, 1, 0]);
    });
  });
}
