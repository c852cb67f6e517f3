import type { JobRecord, JobStore, OccurrenceRecord } from "@factotum/store";

/** A change of one job, as of the moment it is made; `undefined` changes nothing. */
type Change = (job: JobRecord) => JobRecord | undefined;

/** The jobs of the gateway, in memory and stored. Changes are made one after the other, each of what the one before has left. */
export class JobBook {
  readonly #store: JobStore;
  readonly #jobs = new Map<string, JobRecord>();
  readonly #listeners = new Set<() => void>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: JobStore) {
    this.#store = store;
  }

  /** Calls the listener after each change of a job and each outcome. Must not throw. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async load(): Promise<void> {
    for (const job of await this.#store.listJobs()) this.#jobs.set(job.id, job);
  }

  /** Oldest first. */
  list(): readonly JobRecord[] {
    return [...this.#jobs.values()];
  }

  get(id: string): JobRecord | undefined {
    return this.#jobs.get(id);
  }

  async add(job: JobRecord): Promise<void> {
    await this.#next(async () => {
      await this.#store.putJob(job);
      this.#jobs.set(job.id, job);
    });
  }

  /** Resolves with the job after the change; `undefined` if there is none. */
  async change(id: string, change: Change): Promise<JobRecord | undefined> {
    return this.#next(async () => {
      const before = this.#jobs.get(id);
      const after = before === undefined ? undefined : change(before);
      if (after === undefined) return before;
      await this.#store.putJob(after);
      this.#jobs.set(id, after);
      return after;
    });
  }

  async remove(id: string): Promise<boolean> {
    return this.#next(async () => {
      const isRemoved = await this.#store.removeJob(id);
      this.#jobs.delete(id);
      return isRemoved;
    });
  }

  /** Moves a job past the slots that are due, in one commit with their rows. Resolves with the rows that are new. */
  async claim(
    id: string,
    due: (job: JobRecord) => { readonly job: JobRecord; readonly occurrences: readonly OccurrenceRecord[] } | undefined,
  ): Promise<readonly OccurrenceRecord[]> {
    return this.#next(async () => {
      const job = this.#jobs.get(id);
      const found = job === undefined ? undefined : due(job);
      if (found === undefined) return [];
      const added = await this.#store.claimOccurrences(found.job, found.occurrences);
      this.#jobs.set(id, found.job);
      return added;
    });
  }

  /** Stores the outcome of a slot, and in the same commit what it changes of the job. */
  async settle(occurrence: OccurrenceRecord, change: Change): Promise<JobRecord | undefined> {
    return this.#next(async () => {
      const before = this.#jobs.get(occurrence.jobId);
      const after = before === undefined ? undefined : (change(before) ?? before);
      await this.#store.putOccurrence(occurrence, after);
      if (after !== undefined) this.#jobs.set(after.id, after);
      return after;
    });
  }

  async #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    const done = await result;
    for (const listener of this.#listeners) listener();
    return done;
  }
}
