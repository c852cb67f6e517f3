import type { Clock, CommandResult, CommandRunner, JobCheck, JobPayload, Logger, RunFacts } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import { isListedOwner } from "../access/owner.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { wait } from "../delivery/wait.ts";
import { isIsolated, originOf, runAgentTurn, sessionOfRun, sourceOf } from "./agent-turn.ts";
import type { AgentTurnParts } from "./agent-turn.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import { deliveryOf } from "./job-announcer.ts";
import type { JobAnnouncer, PostResult } from "./job-announcer.ts";
import type { JobBook } from "./job-book.ts";
import { ON_TIME_MS, startOfSlot } from "./due-slots.ts";
import type { LimitedPrograms } from "./limit-programs.ts";
import { makeCheck } from "./job-check.ts";
import type { CheckResult } from "./job-check.ts";
import { afterRun, retryDelayMs } from "./job-outcome.ts";
import type { JobPrograms } from "./job-programs.ts";
import type { JobReceipts } from "./job-receipts.ts";
import type { PreparedJob } from "./prepared-job.ts";
import type { RunEnd } from "../queue/run-end.ts";
import type { SystemEvents } from "./system-events.ts";

/** UTF-16 units of an outcome's text that are kept. */
const MAX_TEXT_CHARS = 4000;
const COMMAND_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 64_000;

/** Dependencies of the runner. */
export interface JobRunnerOptions extends AgentTurnParts {
  readonly book: JobBook;
  readonly running: RunningConfig;
  readonly announcer: JobAnnouncer;
  /** A system job with its address, or why its slot is skipped without a model call. */
  readonly prepareSystem: (job: JobRecord, sessionKey: string) => Promise<PreparedJob>;
  readonly systemEvents: Pick<SystemEvents, "add">;
  readonly commands: LimitedPrograms;
  readonly programs: Pick<JobPrograms, "problemOf">;
  readonly receipts: Pick<JobReceipts, "removeIfOver">;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told of each outcome. */
  readonly onOutcome: (occurrence: OccurrenceRecord) => void;
  /** Stops the turn of an input. */
  readonly stopTurn: (sessionKey: string, input: { readonly inputId: string; readonly reason: string }) => Promise<void>;
  /** For crash tests only. */
  readonly crashPoint?: CrashPointHook | undefined;
  /** Tells the conversation of a job that it keeps failing. */
  readonly alert: (job: JobRecord, occurrence: OccurrenceRecord) => void;
}

/** An occurrence that is being run, or waits for its time. */
interface ActiveRun {
  readonly jobId: string;
  /** It makes up for a missed slot. */
  readonly isLate: boolean;
  readonly done: Promise<void>;
  readonly stop: (reason: string) => void;
}

/** An attempt whose row says that it runs. */
interface BegunRun {
  readonly job: JobRecord;
  readonly occurrence: OccurrenceRecord;
  readonly run: RunFacts;
}

/** Runs the occurrences that were claimed, each to one stored outcome. What the gateway's end interrupts is gone on with at the next start. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #active = new Set<ActiveRun>();
  readonly #closing = new AbortController();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** True while an occurrence of the job is claimed or running. */
  isBusy(jobId: string): boolean {
    return this.#of(jobId).length > 0;
  }

  /** True while a run makes up for a missed slot. */
  isCatchingUp(jobId: string): boolean {
    return this.#of(jobId).some(({ isLate }) => isLate);
  }

  /** Takes an occurrence that is claimed, or that an earlier process has left running. */
  take(occurrence: OccurrenceRecord): void {
    const before = this.#of(occurrence.jobId);
    const stopped = Promise.withResolvers<string>();
    const done = this.#process(occurrence, before, stopped.promise).catch((error: unknown) => {
      if (!this.#closing.signal.aborted)
        this.#options.logger.error("The run of a job could not be finished", { jobId: occurrence.jobId, error });
    });
    const job = this.#options.book.get(occurrence.jobId);
    const isLate = job !== undefined && this.#options.clock.now() - startOfSlot(job, occurrence.slotMs) > ON_TIME_MS;
    const run: ActiveRun = { jobId: occurrence.jobId, isLate, done, stop: stopped.resolve };
    this.#active.add(run);
    void done.then(() => this.#active.delete(run));
  }

  /** Stops the runs of a job. Resolves when they have ended. */
  async stop(jobId: string, reason: string): Promise<void> {
    const runs = this.#of(jobId);
    for (const run of runs) run.stop(reason);
    await Promise.all(runs.map(({ done }) => done));
  }

  /** Ends what runs without an outcome. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#active].map(({ done }) => done));
  }

  #of(jobId: string): readonly ActiveRun[] {
    return [...this.#active].filter((run) => run.jobId === jobId);
  }

  async #process(claimed: OccurrenceRecord, before: readonly ActiveRun[], stopped: Promise<string>): Promise<void> {
    const { book, clock } = this.#options;
    const { signal } = this.#closing;
    const overlap = book.get(claimed.jobId)?.spec.overlap;
    if (overlap === "replace") for (const run of before) run.stop("its next run has begun");
    await Promise.race([Promise.all(before.map(({ done }) => done)), aborted(signal)]);
    let occurrence = claimed;
    for (;;) {
      const stopReason = occurrence.notBeforeMs === undefined ? undefined : await this.#waitUntil(occurrence.notBeforeMs, stopped);
      const job = book.get(occurrence.jobId);
      if (signal.aborted || job === undefined) return;
      if (stopReason !== undefined) return this.#settle(occurrence, { state: "failed", reason: `stopped: ${stopReason}` });
      const begun = await this.#begin(job, occurrence);
      if (begun === undefined) return;
      const end = "state" in begun ? begun : await this.#run(begun, stopped);
      if (end === undefined) return;
      if (!("state" in begun)) occurrence = begun.occurrence;
      const delayMs = end.isTransient === true ? retryDelayMs(occurrence.attempt) : undefined;
      const nextSlotMs = book.get(occurrence.jobId)?.nextSlotMs ?? Infinity;
      // The next slot is the next attempt, if it comes first.
      if (delayMs === undefined || clock.now() + delayMs >= nextSlotMs) return this.#settle(occurrence, end);
      const { origin: _before, ...rest } = occurrence;
      occurrence = {
        ...rest,
        state: "claimed",
        attempt: occurrence.attempt + 1,
        notBeforeMs: clock.now() + delayMs,
        ...withoutUndefined({ reason: end.reason }),
      };
      await book.settle(occurrence, () => undefined);
    }
  }

  /** Waits for the time of the next attempt. Resolves with the reason if the run is stopped before. */
  async #waitUntil(atMs: number, stopped: Promise<string>): Promise<string | undefined> {
    const { clock } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, over.signal]);
    const reason = await Promise.race([stopped, wait(Math.max(0, atMs - clock.now()), { clock, signal })]);
    over.abort();
    return reason ?? undefined;
  }

  /** Begins an attempt, or resolves with the outcome of one that must not begin; `undefined` if the gateway ended first. */
  async #begin(job: JobRecord, occurrence: OccurrenceRecord): Promise<BegunRun | RunEnd | undefined> {
    const { running, clock } = this.#options;
    const { authority, spec } = job;
    const isResumed = occurrence.state === "running";
    if (spec.enabled === false && !isResumed && occurrence.isManual !== true) return { state: "skipped", reason: "disabled" };
    if (job.overSlotMs !== undefined && occurrence.isManual !== true) return { state: "skipped", reason: "the job has run" };
    const agent = running.agents.get(job.agentId);
    if (agent === undefined) return { state: "failed", reason: `there is no agent "${job.agentId}" any longer` };
    const hasLostOwner = authority.isListedOwner === true && !isListedOwner(authority, running.config.commands.ownerAllowFrom);
    if (hasLostOwner) return { state: "failed", reason: "the person who made it is no longer the owner" };
    const problem = isResumed ? undefined : await this.#options.programs.problemOf(job);
    if (problem !== undefined) return { state: "skipped", reason: `program: ${problem}`, needsOwner: true };
    const sessionKey = sessionOfRun(job, occurrence, running.config.session.mainKey);
    if (isResumed && spec.payload.type === "command")
      return { state: "failed", reason: "it was interrupted by a restart of the gateway, and may have taken effect" };
    const run = factsOf(job, { sessionKey, workspace: agent.config.workspace, timeZone: agent.config.userTimezone });
    const own = job.system !== undefined && !isResumed ? await this.#options.prepareSystem(job, sessionKey) : { job };
    if ("skip" in own) return { state: "skipped", reason: own.skip };
    // The check of a slot is made once: its later attempts, and a restart, go on with what it gave.
    const isDecided = spec.check === undefined || isResumed || occurrence.checkOutput !== undefined;
    const check = isDecided ? undefined : await this.#check(job, spec.check, run);
    if (this.#closing.signal.aborted) return undefined;
    if (check?.type === "skip") return { state: "skipped", reason: check.reason };
    if (check?.type === "fail") return { state: "failed", reason: check.reason };
    const begun: OccurrenceRecord = {
      ...occurrence,
      state: "running",
      startedAtMs: occurrence.startedAtMs ?? clock.now(),
      sessionKey,
      origin: occurrence.origin ?? originOf(own.job, sessionKey),
      ...withoutUndefined({ checkOutput: check?.output ?? occurrence.checkOutput }),
    };
    const seen = check?.seen;
    if (!isResumed) await this.#options.book.settle(begun, (present) => (seen === undefined ? undefined : { ...present, checked: seen }));
    this.#options.crashPoint?.("after-job-begin");
    return { job: own.job, occurrence: begun, run };
  }

  async #check(job: JobRecord, check: JobCheck, run: RunFacts): Promise<CheckResult> {
    const { fetch } = this.#options;
    return makeCheck(check, { commands: this.#programsOf(job), fetch, run, seen: job.checked, signal: this.#closing.signal });
  }

  /** Runs the programs of a job as long as they are what was allowed: they may wait before, and the check runs before the job. */
  #programsOf(job: JobRecord): Pick<CommandRunner, "run"> {
    const { commands, programs } = this.#options;
    const problemOf = async (): Promise<string | undefined> => programs.problemOf(job);
    return { run: async (request, options) => commands.run(request, options, problemOf) };
  }

  /** Runs an attempt to its end; `undefined` if the gateway ended first. */
  async #run({ job, occurrence, run }: BegunRun, stopped: Promise<string>): Promise<RunEnd | undefined> {
    const { announcer, clock } = this.#options;
    const { sessionKey } = run;
    const { payload } = job.spec;
    switch (payload.type) {
      case "message":
        return endOfDelivery(await announcer.deliver(job, occurrence, payload.text), payload.text);
      case "systemEvent":
        return addEvent({ job, occurrence, payload, checkOutput: occurrence.checkOutput ?? "", sessionKey }, this.#options.systemEvents);
      case "command":
        return this.#command(job, occurrence, { payload, run, stopped });
      case "agentTurn": {
        const onInput = (inputId: string): void => {
          void stopped.then((reason) => this.#options.stopTurn(sessionKey, { inputId, reason }));
        };
        const options = { nowMs: clock.now(), signal: this.#closing.signal, onInput };
        const end = await runAgentTurn({ job, occurrence, sessionKey, checkOutput: occurrence.checkOutput ?? "" }, this.#options, options);
        if (end?.state !== "done" || end.text === "") return end;
        // Its answer was given to a process that has ended, which may have posted it.
        if (end.text === undefined) return deliveryOf(job).type === "webhook" ? { ...end, receipt: "ambiguous" } : end;
        const { receipt, problem } = await announcer.post(job, occurrence, end.text);
        const posted = { ...end, ...withoutUndefined({ receipt }) };
        return problem === undefined ? posted : { ...posted, state: "failed", reason: problem };
      }
    }
  }

  async #command(
    job: JobRecord,
    occurrence: OccurrenceRecord,
    {
      payload,
      run,
      stopped,
    }: { readonly payload: Extract<JobPayload, { type: "command" }>; readonly run: RunFacts; readonly stopped: Promise<string> },
  ): Promise<RunEnd | undefined> {
    const { announcer } = this.#options;
    const [file = "", ...args] = payload.argv;
    const stop = new AbortController();
    void stopped.then((reason) => stop.abort(reason));
    const { signal } = this.#closing;
    const timeoutMs = job.spec.timeoutSeconds === undefined ? COMMAND_MS : job.spec.timeoutSeconds * 1000;
    const { end, output } = await this.#programsOf(job).run(
      { command: { type: "argv", file, args }, cwd: payload.cwd ?? run.workspace, env: {}, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES },
      { signal: AbortSignal.any([signal, stop.signal]), run, onOutput: () => undefined },
    );
    if (signal.aborted) return undefined;
    if (end.type === "exited" && end.exitCode === 0) return endOfDelivery(await announcer.deliver(job, occurrence, output), output);
    return { state: "failed", reason: describeEnd(end, { output, stopReason: stop.signal.reason }), text: output };
  }

  async #settle(occurrence: OccurrenceRecord, end: RunEnd): Promise<void> {
    const { book, clock, running, alert, onOutcome } = this.#options;
    const { notBeforeMs: _past, origin: _address, reason: _earlier, checkOutput: _used, ...rest } = occurrence;
    const { isTransient: _transient, needsOwner = false, text, ...facts } = end;
    const job = book.get(occurrence.jobId);
    const settled: OccurrenceRecord = {
      ...rest,
      ...facts,
      ...(job === undefined || end.state === "skipped"
        ? {}
        : { sessionKey: sessionOfRun(job, occurrence, running.config.session.mainKey) }),
      ...(text === undefined || text === "" ? {} : { text: cutText(text, MAX_TEXT_CHARS, "…") }),
      endedAtMs: clock.now(),
    };
    let isAlerted = false;
    this.#options.crashPoint?.("before-job-end");
    const after = await book.settle(settled, (present) => {
      const outcome = afterRun(present, { ...end, needsOwner }, clock.now());
      isAlerted = outcome.alerts;
      return isOver(present, settled) ? over(outcome.job, settled) : outcome.job;
    });
    onOutcome(settled);
    this.#options.crashPoint?.("after-job-end");
    if (after !== undefined && isAlerted) alert(after, settled);
    if (after !== undefined) await this.#options.receipts.removeIfOver(after.id);
  }
}

/** True for a job that is removed after this run. */
function isOver(
  { spec: { schedule, deleteAfterRun = schedule.type === "at" } }: JobRecord,
  { state, isManual }: OccurrenceRecord,
): boolean {
  return deleteAfterRun && state === "done" && isManual !== true;
}

function over({ nextSlotMs: _none, ...job }: JobRecord, { slotMs }: OccurrenceRecord): JobRecord {
  return { ...job, overSlotMs: slotMs };
}

/** The event of an attempt is accepted once, also if a restart repeats it. */
async function addEvent(
  {
    job,
    occurrence,
    payload,
    checkOutput,
    sessionKey,
  }: {
    readonly job: JobRecord;
    readonly occurrence: OccurrenceRecord;
    readonly payload: Extract<JobPayload, { type: "systemEvent" }>;
    readonly checkOutput: string;
    readonly sessionKey: string;
  },
  systemEvents: Pick<SystemEvents, "add">,
): Promise<RunEnd> {
  const { spec, agentId } = job;
  const source = `the check of the job ${JSON.stringify(spec.name)}`;
  const added = await systemEvents.add({
    agentId,
    text: payload.text,
    wake: payload.wake ?? "next-heartbeat",
    kind: "cron",
    madeBy: sourceOf(job),
    eventId: `event:${job.id}:${occurrence.slotMs}:${occurrence.attempt}`,
    ...(isIsolated(job) ? {} : { sessionKey }),
    ...(checkOutput === "" ? {} : { untrusted: [{ source, text: checkOutput }] }),
  });
  return added.type === "added" ? { state: "done", text: payload.text } : { state: "failed", reason: added.message };
}

function factsOf({ id, agentId, authority }: JobRecord, place: Pick<RunFacts, "sessionKey" | "workspace" | "timeZone">): RunFacts {
  return { runId: `job:${id}`, kind: "cron", agentId, sessionId: "", owner: authority.owner, ...place };
}

function describeEnd(end: CommandResult["end"], { output, stopReason }: { readonly output: string; readonly stopReason: unknown }): string {
  switch (end.type) {
    case "exited": {
      // In quotation marks, which it cannot end, it is not taken for words of the gateway.
      const printed = JSON.stringify(cutText(output.trim(), 200, "…")).slice(1, -1);
      return printed === "" ? `exit code ${end.exitCode}` : `exit code ${end.exitCode}: "${printed}"`;
    }
    case "signalled":
      return `killed by ${end.signal}`;
    case "timed-out":
      return "stopped at its time limit";
    case "aborted":
      return `stopped: ${String(stopReason)}`;
    case "over-limit":
      return `it used too many ${end.limit}`;
    case "not-started":
      return end.message;
  }
}

function endOfDelivery({ receipt, problem }: PostResult, text: string): RunEnd {
  const end = { text, ...withoutUndefined({ receipt }) };
  return problem === undefined ? { ...end, state: "done" } : { ...end, state: "failed", reason: problem };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
