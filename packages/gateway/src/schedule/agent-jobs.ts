import type { JobCaller, JobChange, JobOccurrence, JobSpec, JobView, ScheduledJobs, WakeResult } from "@factotum/agent-contract";
import type { InboxStore, JobAuthority, JobRecord, ProgramGrant, TurnStore } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { readAskingTurn } from "../queue/asking-turn.ts";
import type { AskingTurn } from "../queue/asking-turn.ts";
import { chargedKind } from "../run-policy/input-traits.ts";
import { isIsolated } from "./agent-turn.ts";
import type { SystemEvents } from "./system-events.ts";
import type { JobService } from "./job-service.ts";

/** Run kinds in which no jobs are made: a job that makes jobs multiplies without anybody's word. */
const UNATTENDED: ReadonlySet<string> = new Set(["cron", "heartbeat", "hook"]);

/** What jobs of agents use. */
export interface AgentJobsParts {
  readonly jobs: JobService;
  readonly store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">;
  readonly systemEvents: SystemEvents;
  /** The model of a conversation now. */
  readonly modelOf: (caller: JobCaller["run"]) => Promise<string>;
  /** What allows the programs that a call names; `undefined` if it names none. */
  readonly grantOf: (caller: JobCaller) => Promise<ProgramGrant | undefined>;
  /** True if a job may work in the session that it names, as far as the owner's turn that makes or changes it reaches. */
  readonly mayWork: (job: Pick<JobRecord, "agentId" | "spec">, caller: JobCaller) => Promise<boolean>;
  /** True if the configuration lets runs of jobs make jobs. */
  readonly mayNest: () => boolean;
}

const OTHERS: JobChange = { type: "refused", message: "There is no such job. List them for their ids." };
const NESTED: JobChange = {
  type: "refused",
  message:
    "A run of a job makes, changes and starts no jobs (cron.jobsMayCreateJobs). Tell the owner in your answer what you would schedule.",
};

const UNREACHED: JobChange = {
  type: "refused",
  message:
    "A job that is made or changed in this turn may not work in this session. Leave session out, which gives each run one of its own, or ask the owner to do it in a private conversation.",
};

const NESTED_WAKE: WakeResult = {
  type: "refused",
  message: "A run that no person has started cannot wake a heartbeat. Say it in your answer.",
};

/** The jobs as the tool `cron` sees them. A job has the authority, the address and the model of the turn that makes it. Tools exist before the gateway, so the parts are connected later. */
export class AgentJobs implements ScheduledJobs {
  #parts: AgentJobsParts | undefined;

  connect(parts: AgentJobsParts): void {
    this.#parts = parts;
  }

  async list({ run }: JobCaller): Promise<readonly JobView[]> {
    const { agentId, sessionKey, owner } = run;
    return this.#connected.jobs.list(owner ? { agentId } : { agentId, sessionKey, owner });
  }

  async add(spec: JobSpec, caller: JobCaller): Promise<JobChange> {
    const { jobs, modelOf, grantOf } = this.#connected;
    if (await this.#isNested(caller)) return NESTED;
    const authority = await this.#authorityOf(caller);
    if (authority === undefined) return { type: "refused", message: "This run has no address, so a job could report nowhere." };
    if (!(await this.#mayWork({ agentId: caller.run.agentId, spec }, caller))) return UNREACHED;
    const bounded = { ...spec, ...(await this.#boundsOf(spec, spec.payload, caller)) };
    const isPinned = spec.payload.type === "agentTurn" && spec.model === undefined && isIsolated({ spec });
    const pinned = isPinned ? { ...bounded, model: await modelOf(caller.run) } : bounded;
    return jobs.add(pinned, { agentId: caller.run.agentId, authority, grant: await grantOf(caller) });
  }

  async update(id: string, change: Partial<JobSpec>, caller: JobCaller): Promise<JobChange> {
    if (await this.#isNested(caller)) return NESTED;
    const job = this.#find(id, caller);
    if (job === undefined) return OTHERS;
    const { jobs, grantOf } = this.#connected;
    const isSwitched = Object.keys(change).every((part) => part === "enabled");
    if (!isSwitched && !(await this.#mayWork({ agentId: job.agentId, spec: { ...job.spec, ...change } }, caller))) return UNREACHED;
    // A change of another part leaves its tools as they are.
    const isOfRun = change.payload !== undefined || change.tools !== undefined;
    const made = { tools: change.tools ?? job.spec.tools };
    const bounded = isOfRun ? { ...change, ...(await this.#boundsOf(made, change.payload ?? job.spec.payload, caller)) } : change;
    return jobs.update(job, bounded, { owner: caller.run.owner, grant: await grantOf(caller) });
  }

  async remove(id: string, caller: JobCaller): Promise<JobChange> {
    const job = this.#find(id, caller);
    if (job === undefined) return OTHERS;
    const asking = await this.#askingTurn(caller.run);
    // A run that removes its own job goes on: its answer says why.
    return this.#connected.jobs.remove(job, { stopsRun: asking?.lead.admission.job?.id !== job.id });
  }

  async run(id: string, caller: JobCaller): Promise<JobChange> {
    if (await this.#isNested(caller)) return NESTED;
    const job = this.#find(id, caller);
    return job === undefined ? OTHERS : this.#connected.jobs.run(job);
  }

  async runs(id: string, { limit }: { readonly limit: number }, caller: JobCaller): Promise<readonly JobOccurrence[] | undefined> {
    const job = this.#find(id, caller);
    return job === undefined ? undefined : this.#connected.jobs.runs(job, limit);
  }

  async wake({ text, wake }: Parameters<ScheduledJobs["wake"]>[0], caller: JobCaller): Promise<WakeResult> {
    if (await this.#isNested(caller)) return NESTED_WAKE;
    const { agentId, owner } = caller.run;
    if (!owner) return { type: "refused", message: "Only the owner's runs wake the heartbeat." };
    const added = await this.#connected.systemEvents.add({ agentId, text, wake, kind: "user" });
    return added.type === "refused" ? added : { type: "done", ...withoutUndefined({ note: added.note }) };
  }

  get #connected(): AgentJobsParts {
    if (this.#parts === undefined) throw new Error("scheduled jobs are not connected yet");
    return this.#parts;
  }

  /** True for a run of a job, and for one that such a run has caused, where the configuration lets these make no jobs. */
  async #isNested({ run }: JobCaller): Promise<boolean> {
    if (this.#connected.mayNest()) return false;
    const { inputs = [] } = (await this.#askingTurn(run)) ?? {};
    return UNATTENDED.has(run.kind) || UNATTENDED.has(chargedKind(run.kind, inputs));
  }

  /** A job of the caller's agent; of others than the owner, one that was made in their session. */
  #find(id: string, { run }: JobCaller): JobRecord | undefined {
    return this.#connected.jobs.find(
      id,
      ({ agentId, authority }) => agentId === run.agentId && (run.owner || (authority.sessionKey === run.sessionKey && !authority.owner)),
    );
  }

  /** Whether the caller may have a job work in its session, and with it say what is done there. Others than the owner choose no session at all. */
  async #mayWork(job: Pick<JobRecord, "agentId" | "spec">, caller: JobCaller): Promise<boolean> {
    return !caller.run.owner || this.#connected.mayWork(job, caller);
  }

  async #askingTurn({ runId }: JobCaller["run"]): Promise<AskingTurn | undefined> {
    return readAskingTurn(runId, this.#connected.store);
  }

  /** The tools of a job that a run with tools of its own makes: never more than the run has. */
  async #boundsOf(
    { tools }: { readonly tools?: readonly string[] | undefined },
    payload: JobSpec["payload"],
    caller: JobCaller,
  ): Promise<Pick<JobSpec, "tools">> {
    const own = (await this.#askingTurn(caller.run))?.lead.admission.job?.tools;
    if (own === undefined || payload.type !== "agentTurn") return {};
    return { tools: tools?.filter((name) => own.includes(name)) ?? own };
  }

  async #authorityOf({ run }: JobCaller): Promise<JobAuthority | undefined> {
    const asking = await this.#askingTurn(run);
    if (asking === undefined) return undefined;
    const { turn, lead } = asking;
    const isListed = lead.admission.sessionKey === undefined || lead.admission.isListedOwner === true;
    return {
      owner: run.owner,
      ...(lead.admission.author ?? { sender: lead.message.sender, origin: turn.origin }),
      sessionKey: run.sessionKey,
      ...withoutUndefined({ isListedOwner: run.owner && isListed ? (true as const) : undefined }),
    };
  }
}
