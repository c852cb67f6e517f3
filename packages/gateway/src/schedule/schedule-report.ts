import { withoutUndefined } from "@factotum/agent-contract";
import type { ScheduleStatus } from "@factotum/protocol";
import type { JobStore } from "@factotum/store";
import { startOfSlot } from "./due-slots.ts";
import type { JobBook } from "./job-book.ts";

/** What the status says of jobs and heartbeats. */
export async function scheduleReport(
  { book, store }: { readonly book: JobBook; readonly store: Pick<JobStore, "listOccurrences"> },
  now: Pick<ScheduleStatus, "enabled" | "lateMs">,
): Promise<ScheduleStatus> {
  const all = book.list();
  const jobs = all.filter(({ system }) => system === undefined);
  const failing = jobs.filter(({ failures, disabledBecause }) => failures > 0 || disabledBecause !== undefined);
  const beats = all.filter(({ system }) => system === "heartbeat");
  return {
    ...now,
    jobs: jobs.length,
    failing: failing.map(({ id, spec: { name }, failures, disabledBecause }) => ({
      id,
      name,
      failures,
      ...withoutUndefined({ disabledBecause }),
    })),
    heartbeats: await Promise.all(
      beats.map(async (job) => {
        const [last] = await store.listOccurrences(job.id, { limit: 1 });
        const nextAtMs = job.nextSlotMs === undefined ? undefined : startOfSlot(job, job.nextSlotMs);
        const run =
          last === undefined
            ? undefined
            : { state: last.state, ...withoutUndefined({ reason: last.reason }), atMs: last.endedAtMs ?? last.slotMs };
        return { agentId: job.agentId, ...withoutUndefined({ nextAtMs, last: run }) };
      }),
    ),
  };
}
