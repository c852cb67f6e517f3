import type { Clock, JobChange, JobOccurrence, JobSpec, JobView, Random } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { nextInstant, nextInstants } from "@factotum/schedule";
import type { Origin } from "@factotum/channel-contract";
import type { JobGrants, OptionalJobPart } from "@factotum/protocol";
import type { JobAuthority, JobRecord, JobStore, OccurrenceRecord, ProgramGrant } from "@factotum/store";
import { GATEWAY_SENDER } from "../routing/session-origin.ts";
import { checkSpec } from "./check-spec.ts";
import { scheduleOf, startOfSlot } from "./due-slots.ts";
import type { JobBook } from "./job-book.ts";
import { runsProgram, unchangedPrograms, type JobPrograms } from "./job-programs.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Scheduler } from "./scheduler.ts";

/** Jobs of the owner's with one agent. */
const MAX_JOBS = 200;
/** Jobs that others make in one session: they cost the owner's tokens. */
const MAX_JOBS_OF_OTHERS = 20;

/** Dependencies of the service. */
export interface JobServiceOptions {
  readonly store: JobStore;
  readonly book: JobBook;
  readonly scheduler: Pick<Scheduler, "poke">;
  readonly programs: Pick<JobPrograms, "bind" | "refusalOf" | "problemOf">;
  readonly runner: Pick<JobRunner, "isBusy" | "take" | "stop">;
  readonly timeZoneOf: (agentId: string) => string;
  /** Reads an address such as `telegram:4711`; the text says what is wrong with it. */
  readonly findTarget: (to: string, origin: Origin) => Promise<Origin | { readonly refusal: string }>;
  /** What is wrong with a model's name, for an agent; `undefined` if nothing is. */
  readonly checkModel: (agentId: string, model: string) => Promise<string | undefined>;
  /** What is wrong with the names of tools, for an agent; `undefined` if nothing is. */
  readonly checkTools: (agentId: string, tools: readonly string[]) => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** For whom a job is made. */
export interface JobCreation {
  readonly agentId: string;
  readonly authority: JobAuthority;
  /** What allows its programs. Default: the owner's word. */
  readonly grant?: ProgramGrant | undefined;
}

/** Who changes a job, and what they take from it. */
export interface JobUpdate extends Pick<JobAuthority, "owner">, Pick<JobCreation, "grant"> {
  /** The owner allows the programs of the job as they are now, also those that are not changed. */
  readonly allowsPrograms?: boolean;
  readonly unset?: readonly OptionalJobPart[];
}

const OWNER: ProgramGrant = { type: "owner" };

/** Makes, changes and shows jobs. What is refused says what to do. */
export class JobService {
  readonly #options: JobServiceOptions;

  constructor(options: JobServiceOptions) {
    this.#options = options;
  }

  /** Calls the listener after each change of a job, also of the gateway's own, and each outcome. Must not throw. */
  onChange(listener: () => void): Disposable {
    return this.#options.book.onChange(listener);
  }

  /** Those of an agent, or of all, oldest first. `sessionKey`: those made there; `owner`: those made with the owner's authority, or without it. */
  async list(
    filter: { readonly agentId?: string; readonly sessionKey?: string; readonly owner?: boolean } = {},
  ): Promise<readonly JobView[]> {
    const jobs = this.#options.book
      .list()
      .filter(
        ({ agentId, authority, system }) =>
          system === undefined &&
          (filter.agentId === undefined || agentId === filter.agentId) &&
          (filter.sessionKey === undefined || authority.sessionKey === filter.sessionKey) &&
          (filter.owner === undefined || authority.owner === filter.owner),
      );
    return Promise.all(jobs.map(async (job) => this.view(job)));
  }

  /** A job by its id, or by its name where that is unique: among the owner's jobs if one of them has it, of those that `isVisible` lets through. */
  find(named: string, isVisible: (job: JobRecord) => boolean = () => true): JobRecord | undefined {
    const jobs = this.#options.book.list().filter((job) => job.system === undefined && isVisible(job));
    const called = jobs.filter(({ spec }) => spec.name === named);
    const owned = called.filter(({ authority }) => authority.owner);
    const [only, ...others] = owned.length > 0 ? owned : called;
    return jobs.find(({ id }) => id === named) ?? (others.length === 0 ? only : undefined);
  }

  async view(job: JobRecord): Promise<JobView> {
    const [last] = await this.#options.store.listOccurrences(job.id, { limit: 1 });
    const { id, agentId, spec, createdAtMs, authority, failures, disabledBecause, nextSlotMs } = job;
    const nextAtMs = nextSlotMs === undefined ? undefined : startOfSlot(job, nextSlotMs);
    return {
      id,
      agentId,
      spec: withoutSecret(spec),
      createdAtMs,
      createdIn: authority.sessionKey,
      failures,
      ...withoutUndefined({ nextAtMs, last: last === undefined ? undefined : shownOccurrence(last), disabledBecause }),
    };
  }

  async add(spec: JobSpec, { agentId, authority, grant = OWNER }: JobCreation): Promise<JobChange> {
    const { book, clock, random, timeZoneOf, scheduler, programs } = this.#options;
    const nowMs = clock.now();
    const refusal =
      this.#problemOf(spec, agentId, authority, nowMs) ??
      this.#programRefusal(spec, agentId, grant) ??
      (await this.#namesProblem(agentId, spec));
    if (refusal !== undefined) return { type: "refused", message: refusal };
    const target = await this.#targetOf(spec, authority);
    if (target !== undefined && "refusal" in target) return { type: "refused", message: target.refusal };
    const id = random.uuid().slice(0, 8);
    const job: JobRecord = {
      id,
      agentId,
      spec,
      authority,
      createdAtMs: nowMs,
      scheduledAtMs: nowMs,
      failures: 0,
      ...withoutUndefined({ target, programs: await programs.bind(spec, agentId, { grant }) }),
    };
    const scheduled = withNextSlot(job, timeZoneOf(agentId), nowMs);
    await book.add(scheduled);
    scheduler.poke();
    return { type: "done", job: await this.view(scheduled) };
  }

  /** The parts of `change` replace those of the job; those that `unset` names take their default. */
  async update(
    job: JobRecord,
    change: Partial<JobSpec>,
    { unset = [], grant = OWNER, allowsPrograms = false, ...by }: JobUpdate,
  ): Promise<JobChange> {
    const { book, clock, timeZoneOf, scheduler, programs } = this.#options;
    const nowMs = clock.now();
    const kept = omit(job.spec, unset);
    const spec = { ...kept, ...change };
    const authority = { ...job.authority, owner: job.authority.owner && by.owner };
    const isAllowed = allowsPrograms || runsProgram(change);
    const refusal =
      this.#problemOf(spec, job.agentId, authority, nowMs, job) ??
      (isAllowed ? this.#programRefusal(spec, job.agentId, grant) : undefined) ??
      (await this.#namesProblem(job.agentId, change));
    if (refusal !== undefined) return { type: "refused", message: refusal };
    const target = await this.#targetOf(spec, job.authority);
    if (target !== undefined && "refusal" in target) return { type: "refused", message: target.refusal };
    const bound = await programs.bind(spec, job.agentId, { grant, kept: allowsPrograms ? {} : unchangedPrograms(job, change) });
    const changed = await book.change(job.id, ({ disabledBecause, failures, target: _before, programs: _bound, ...present }) => {
      const isEnabledAgain = change.enabled === true;
      const next = {
        ...present,
        spec,
        failures: isEnabledAgain ? 0 : failures,
        ...(change.schedule === undefined ? {} : { scheduledAtMs: nowMs }),
        ...withoutUndefined({ target, programs: bound, disabledBecause: isEnabledAgain ? undefined : disabledBecause }),
      };
      return change.schedule === undefined && change.enabled === undefined ? next : withNextSlot(next, timeZoneOf(job.agentId), nowMs);
    });
    scheduler.poke();
    return changed === undefined ? { type: "refused", message: "The job is gone." } : { type: "done", job: await this.view(changed) };
  }

  /** Removes a job, and stops its run unless `stopsRun` is false. */
  async remove(job: JobRecord, { stopsRun = true }: { readonly stopsRun?: boolean } = {}): Promise<JobChange> {
    const view = await this.view(job);
    await this.#options.book.remove(job.id);
    if (stopsRun) await this.#options.runner.stop(job.id, "the job was removed");
    return { type: "done", job: view };
  }

  /** Runs a job at once, as an occurrence of its own, whose slot is now. */
  async run(job: JobRecord): Promise<JobChange> {
    const { book, clock, runner } = this.#options;
    if (runner.isBusy(job.id))
      return { type: "refused", message: `The job ${JSON.stringify(job.spec.name)} is running. Wait for its end.` };
    const occurrence: OccurrenceRecord = { jobId: job.id, slotMs: clock.now(), state: "claimed", attempt: 1, isManual: true };
    const [added] = await book.claim(job.id, (present) => ({ job: present, occurrences: [occurrence] }));
    if (added === undefined) return { type: "refused", message: "It has just run. Ask again." };
    runner.take(added);
    return { type: "done", job: await this.view(job) };
  }

  /** What a job may do, and why its programs must not run now. */
  async grants({ authority: { owner, sender }, ...job }: JobRecord): Promise<JobGrants> {
    const { programs = {} } = job;
    const bound = Object.values(programs).map(({ files, grant }) => ({ files: files.map(({ path }) => path), allowedBy: grant.type }));
    const problem = await this.#options.programs.problemOf(job);
    const madeBy = sender.id === GATEWAY_SENDER.id ? undefined : (sender.name ?? sender.id);
    return { owner, programs: bound, ...withoutUndefined({ madeBy, problem }) };
  }

  /** Newest first. */
  async runs({ id }: JobRecord, limit: number): Promise<readonly JobOccurrence[]> {
    return (await this.#options.store.listOccurrences(id, { limit })).map(shownOccurrence);
  }

  /** The next instants of a schedule that is being written, or what is wrong with it. */
  preview(spec: Pick<JobSpec, "schedule">, agentId: string, count: number): readonly number[] | { readonly refusal: string } {
    const nowMs = this.#options.clock.now();
    const context = { nowMs, timezone: this.#options.timeZoneOf(agentId), isOwner: true };
    const refusal = checkSpec({ name: "preview", payload: { type: "message", text: "preview" }, ...spec }, context);
    if (refusal !== undefined) return { refusal };
    return nextInstants(
      scheduleOf({ spec: { name: "", payload: { type: "message", text: "" }, ...spec }, scheduledAtMs: nowMs }, context.timezone),
      nowMs,
      count,
    );
  }

  #problemOf(
    spec: JobSpec,
    agentId: string,
    { owner, sessionKey }: Pick<JobAuthority, "owner" | "sessionKey">,
    nowMs: number,
    changed?: JobRecord,
  ): string | undefined {
    const { book, timeZoneOf } = this.#options;
    const others = book.list().filter((job) => job.agentId === agentId && job.id !== changed?.id && job.system === undefined);
    const peers = others.filter(({ authority }) => authority.owner === owner && (owner || authority.sessionKey === sessionKey));
    const maxJobs = owner ? MAX_JOBS : MAX_JOBS_OF_OTHERS;
    if (changed === undefined && peers.length >= maxJobs) return `There are ${maxJobs} jobs already. Remove some first.`;
    // Those of others do not count: they would tell a guest what the owner has.
    const isTaken = peers.some(({ spec: { name } }) => name === spec.name);
    if (isTaken) return `There is a job ${JSON.stringify(spec.name)} already. Change that one, or choose another name.`;
    const sinceMs = changed !== undefined && changed.spec.schedule === spec.schedule ? changed.scheduledAtMs : nowMs;
    return checkSpec(spec, { nowMs: sinceMs, timezone: timeZoneOf(agentId), isOwner: owner });
  }

  #programRefusal(spec: JobSpec, agentId: string, grant: ProgramGrant): string | undefined {
    const refusal = runsProgram(spec) ? this.#options.programs.refusalOf(agentId, grant) : undefined;
    return refusal === undefined ? undefined : `The job may run no program: ${refusal}.`;
  }

  async #namesProblem(agentId: string, { model, tools = [] }: Partial<JobSpec>): Promise<string | undefined> {
    const { checkModel, checkTools } = this.#options;
    return checkTools(agentId, tools) ?? (model === undefined ? undefined : checkModel(agentId, model));
  }

  async #targetOf({ delivery }: JobSpec, { origin }: JobAuthority): Promise<Origin | { readonly refusal: string } | undefined> {
    if (delivery?.type !== "announce" || delivery.to === undefined) return undefined;
    return this.#options.findTarget(delivery.to, origin);
  }
}

/** A job with its next slot after `nowMs`; without one while it is disabled. */
function withNextSlot({ nextSlotMs: _before, overSlotMs: _over, ...job }: JobRecord, timezone: string, nowMs: number): JobRecord {
  if (job.spec.enabled === false) return job;
  return { ...job, ...withoutUndefined({ nextSlotMs: nextInstant(scheduleOf(job, timezone), nowMs) }) };
}

/** A job's secret is used and never shown. */
function withoutSecret(spec: JobSpec): JobSpec {
  if (spec.delivery?.type !== "webhook") return spec;
  const { secret: _kept, ...delivery } = spec.delivery;
  return { ...spec, delivery };
}

function omit(spec: JobSpec, names: readonly OptionalJobPart[]): JobSpec {
  const kept = { ...spec };
  for (const name of names) delete kept[name];
  return kept;
}

/** An occurrence as people see it. */
export function shownOccurrence({ origin: _internal, checkOutput: _untrusted, ...occurrence }: OccurrenceRecord): JobOccurrence {
  return occurrence;
}
