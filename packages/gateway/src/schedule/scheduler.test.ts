import type { JobRecord, JobStore } from "@factotum/store";
import { expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { JobBook } from "./job-book.ts";
import { Scheduler } from "./scheduler.ts";

const START_MS = Date.UTC(2026, 2, 2, 9);

const JOB: JobRecord = {
  id: "job",
  agentId: "main",
  spec: { name: "job", schedule: { type: "every", every: "10s" }, payload: { type: "message", text: "ping" } },
  authority: {
    owner: true,
    sender: { id: "owner-1", isBot: false },
    origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
    sessionKey: "agent:main:main",
  },
  createdAtMs: START_MS,
  scheduledAtMs: START_MS,
  nextSlotMs: START_MS + 10_000,
  failures: 0,
};

test("a slot that cannot be stored is tried again after a pause", async () => {
  let canStore = false;
  const unused = async (): Promise<never> => {
    throw new Error("not in this test");
  };
  const store: JobStore = {
    putJob: unused,
    readJob: unused,
    removeJob: unused,
    putOccurrence: unused,
    addReceipt: unused,
    listOccurrences: unused,
    listOpenOccurrences: unused,
    listJobs: async () => [JOB],
    claimOccurrences: async (_job, occurrences) => {
      if (!canStore) throw new Error("the disk is full");
      return occurrences;
    },
  };
  let nowMs = START_MS + 15_000;
  const delays: number[] = [];
  let fire = (): void => undefined;
  const armed = async (count: number): Promise<void> => expect.poll(() => delays.length, { interval: 1 }).toBe(count);
  const book = new JobBook(store);
  await book.load();
  const claimed: number[] = [];
  const scheduler = new Scheduler({
    book,
    logger: createMemoryLogger(),
    timeZoneOf: () => "UTC",
    runner: { isBusy: () => false, isCatchingUp: () => false },
    onClaimed: ({ slotMs }) => void claimed.push(slotMs),
    onOutcome: () => undefined,
    onMissed: () => undefined,
    onLostOwnership: () => undefined,
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      schedule: (delayMs, callback) => {
        delays.push(delayMs);
        fire = callback;
        return { [Symbol.dispose]: () => undefined };
      },
    },
  });
  scheduler.start();
  await armed(1);
  expect([delays, claimed]).toEqual([[5000], []]);
  canStore = true;
  nowMs += 4000;
  fire();
  await armed(2);
  expect([delays, claimed]).toEqual([[5000, 1000], [START_MS + 10_000]]);
  await scheduler.stop();
});
