import type { JobCaller, JobChange, JobOccurrence, JobSpec, JobView, ScheduledJobs } from "@factotum/agent-contract";

/** Jobs in memory; `calls` are those that were made, with their callers. */
export interface FakeJobs extends ScheduledJobs {
  readonly calls: { readonly what: string; readonly spec?: Partial<JobSpec>; readonly caller: JobCaller }[];
  /** What the next change is refused with. */
  refusal?: string;
}

export function fakeJobs(runs: readonly JobOccurrence[] = []): FakeJobs {
  const jobs: JobView[] = [];
  const calls: FakeJobs["calls"] = [];
  const answer = (job: JobView | undefined): JobChange => {
    if (fake.refusal !== undefined) return { type: "refused", message: fake.refusal };
    return job === undefined ? { type: "refused", message: "There is no such job." } : { type: "done", job };
  };
  const find = (id: string): JobView | undefined => jobs.find((job) => job.id === id || job.spec.name === id);
  const fake: FakeJobs = {
    calls,
    list: async () => jobs,
    add: async (spec, caller) => {
      calls.push({ what: "add", spec, caller });
      const job: JobView = {
        id: `j${jobs.length + 1}`,
        agentId: "main",
        spec,
        createdAtMs: 0,
        createdIn: "agent:main:main",
        failures: 0,
        nextAtMs: Date.UTC(2026, 5, 15, 12, 30),
      };
      jobs.push(job);
      return answer(job);
    },
    update: async (id, spec, caller) => {
      calls.push({ what: `update ${id}`, spec, caller });
      return answer(find(id));
    },
    remove: async (id, caller) => {
      calls.push({ what: `remove ${id}`, caller });
      return answer(find(id));
    },
    run: async (id, caller) => {
      calls.push({ what: `run ${id}`, caller });
      return answer(find(id));
    },
    wake: async ({ text, wake }, caller) => {
      calls.push({ what: `wake ${wake} ${text}`, caller });
      return fake.refusal === undefined ? { type: "done", note: "there is no heartbeat" } : { type: "refused", message: fake.refusal };
    },
    runs: async (id) => (find(id) === undefined ? undefined : runs),
  };
  return fake;
}
