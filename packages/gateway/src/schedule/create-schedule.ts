import type { CommandRunner, JobCaller, JobSpec } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { JobAuthority, JobRecord, OccurrenceRecord, Store } from "@factotum/store";
import type { ScheduleStatus } from "@factotum/protocol";
import { modelProblem } from "../agents/model-problem.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { unknownTools } from "../agents/unknown-tools.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import { findTarget } from "../delivery/rich/find-target.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { Notices } from "../notices/notices.ts";
import type { PendingEvents } from "../queue/pending-events.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { agentSessionKey } from "../routing/session-key.ts";
import { sessionOrigin } from "../routing/session-origin.ts";
import type { AgentJobs } from "./agent-jobs.ts";
import { chosenSession, sessionOfRun } from "./agent-turn.ts";
import type { TurnIntake } from "./agent-turn.ts";
import { ownerAuthority } from "./owner-authority.ts";
import { missedClaim } from "./due-slots.ts";
import { runPayload } from "./run-payload.ts";
import { heartbeatId } from "./heartbeat-job.ts";
import { HeartbeatService, type Beat } from "./heartbeat-service.ts";
import { HeartbeatWaker } from "./heartbeat-waker.ts";
import { JobAnnouncer } from "./job-announcer.ts";
import { JobBook } from "./job-book.ts";
import { JobPrograms } from "./job-programs.ts";
import { programGrantOf } from "./program-grant.ts";
import { JobReceipts } from "./job-receipts.ts";
import { JobRunner } from "./job-runner.ts";
import { JobService } from "./job-service.ts";
import { alertText, missedText } from "./job-text.ts";
import { limitPrograms } from "./limit-programs.ts";
import { SystemJobs } from "./system-jobs.ts";
import { ownerTarget } from "./owner-target.ts";
import type { OwnerTargetParts } from "./owner-target.ts";
import { scheduleReport } from "./schedule-report.ts";
import { Scheduler } from "./scheduler.ts";
import { SystemEvents } from "./system-events.ts";

/** What the schedule is built from. */
export interface ScheduleParts {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly dispatcher: Dispatcher;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly notices: Notices;
  readonly hooks: Pick<HookRunner, "observe">;
  readonly queue: TurnQueue;
  readonly pendingEvents: PendingEvents;
  readonly watchers: InputWatchers;
  readonly clock: ConstructorParameters<typeof Scheduler>[0]["clock"];
  readonly random: ConstructorParameters<typeof JobService>[0]["random"];
  readonly logger: ConstructorParameters<typeof Scheduler>[0]["logger"];
}

/** What lies around the schedule. */
export interface ScheduleOptions {
  readonly intake: TurnIntake;
  readonly stopTurn: (sessionKey: string, input: { readonly inputId: string; readonly reason: string }) => Promise<void>;
  readonly commands: CommandRunner;
  /** The folders in which they find programs. */
  readonly commandSearchPath: string;
  readonly fetch: typeof fetch;
  readonly agentJobs: AgentJobs;
  /** True if a job of the caller may work in a session. */
  readonly maySchedule: (sessionKey: string, caller: JobCaller) => Promise<boolean>;
  /** Another process owns the state: this one has to end. */
  readonly onLostOwnership: () => void;
  /** For crash tests only. */
  readonly crashPoint?: CrashPointHook | undefined;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** The scheduler with its jobs, as the rest of the gateway uses it. */
export interface Schedule {
  readonly jobs: JobService;
  /** The authority of a job that the owner makes outside a conversation; a text says what it has to name. */
  ownerAuthority(agentId: string, spec: Pick<JobSpec, "delivery">): Promise<JobAuthority | string>;
  readonly systemEvents: SystemEvents;
  /** The address of unattended work: `owner`, or an address (`<channel>:<id>`, `<channel>/<account>:<id>`). A text says why it has no address. */
  addressOf(agentId: string, target: string): Promise<Origin | string>;
  report(): Promise<ScheduleStatus>;
  start(): Promise<void>;
  readonly heartbeats: HeartbeatService;
  /** The configuration has changed. */
  apply(): void;
  stop(): Promise<void>;
}

/** Builds the schedule. Nothing runs before `start`, nor while `cron.enabled` is false. */
export function createSchedule(parts: ScheduleParts, options: ScheduleOptions): Schedule {
  const { store, running, channels, notices, clock } = parts;
  const book = new JobBook(store);
  const timeZoneOf = (agentId: string): string => (running.agents.get(agentId) ?? running.agents.default).config.userTimezone;
  const told = jobNotices(book, notices, options);
  const onOutcome = (occurrence: OccurrenceRecord): void => observeOutcome(occurrence, book.get(occurrence.jobId), parts.hooks);
  const receipts = new JobReceipts({ ...parts, book });
  parts.dispatcher.events.on("row-settled", (row) => options.inBackground("job receipt", receipts.settled(row)));
  const addressing: OwnerTargetParts = { ...parts, findTarget: async (to, origin) => targetOf(to, origin, channels) };
  const systemJobs = new SystemJobs({ ...parts, ...addressing, book, hasEvents: (key) => parts.pendingEvents.of(key).length > 0 });
  const { systemEvents, waker, beat } = createSystemEvents(parts, options, { book, runnerOf: () => runner });
  const programs = new JobPrograms({ store, running, searchPath: options.commandSearchPath });
  const runner: JobRunner = new JobRunner({
    ...parts,
    ...options,
    commands: limitPrograms(options.commands),
    programs,
    receipts,
    book,
    announcer: new JobAnnouncer({ ...parts, fetch: options.fetch }),
    prepareSystem: async (job, sessionKey) => systemJobs.prepare(job, sessionKey),
    systemEvents,
    ...told,
    onOutcome,
  });
  const scheduler = new Scheduler({
    ...parts,
    book,
    timeZoneOf,
    runner,
    onLostOwnership: options.onLostOwnership,
    onClaimed: (occurrence) => {
      options.crashPoint?.("after-job-claim");
      runner.take(occurrence);
    },
    onOutcome,
    ...told,
  });
  const jobs = new JobService({
    ...parts,
    book,
    scheduler,
    programs,
    runner,
    timeZoneOf,
    findTarget: addressing.findTarget,
    checkTools: (agentId, tools) => toolsProblem(tools, running.agent(agentId)),
    checkModel: async (agentId, model) => modelProblem(async () => running.agent(agentId).model(model)),
  });
  connectAgentJobs({ jobs, systemEvents }, parts, options);
  const power = createSwitch(scheduler, options);
  return {
    jobs,
    ownerAuthority: async (agentId, spec) => ownerAuthority(agentId, spec, addressing),
    systemEvents,
    addressOf: async (agentId, target) =>
      ownerTarget({ agentId, target, fallback: sessionOrigin(agentSessionKey(agentId, running.config.session.mainKey)) }, addressing),
    report: async () => scheduleReport({ book, store }, { enabled: running.config.cron.enabled, lateMs: Math.round(scheduler.lateMs) }),
    async start() {
      await book.load();
      await systemJobs.sync();
      await resumeOpen(await store.listOpenOccurrences(), { book, runner, ...told, onOutcome, nowMs: clock.now() });
      await receipts.recover();
      power.set(running.config.cron.enabled);
    },
    heartbeats: new HeartbeatService({ ...parts, book, beat }),
    apply() {
      power.set(running.config.cron.enabled);
      options.inBackground(
        "system jobs",
        systemJobs.sync().then(() => scheduler.poke()),
      );
    },
    async stop() {
      waker[Symbol.dispose]();
      await power.off();
      await runner.close();
    },
  };
}

/** System events, and what wakes heartbeats for them. `runnerOf` is called later: jobs make events, too. */
function createSystemEvents(
  parts: ScheduleParts,
  options: ScheduleOptions,
  { book, runnerOf }: { readonly book: JobBook; readonly runnerOf: () => JobRunner },
): { readonly systemEvents: SystemEvents; readonly waker: HeartbeatWaker; readonly beat: Beat } {
  const sessionOf = (agentId: string): string => {
    const job = book.get(heartbeatId(agentId));
    return job === undefined ? "" : sessionOfRun(job, { slotMs: 0 }, parts.running.config.session.mainKey);
  };
  const beat: Beat = async (agentId) => {
    const id = heartbeatId(agentId);
    const occurrence: OccurrenceRecord = { jobId: id, slotMs: parts.clock.now(), state: "claimed", attempt: 1, isManual: true };
    if (runnerOf().isBusy(id)) return "busy";
    const [claimed] = await book.claim(id, (job) => ({ job, occurrences: [occurrence] }));
    if (claimed === undefined) return "none";
    runnerOf().take(claimed);
    return "started";
  };
  const waker = new HeartbeatWaker({
    clock: parts.clock,
    hasEvents: (agentId) => parts.pendingEvents.of(sessionOf(agentId)).length > 0,
    isBusy: (agentId) => runnerOf().isBusy(heartbeatId(agentId)) || parts.queue.lanes.isBusy(sessionOf(agentId)),
    beat: async (agentId) => void (await beat(agentId)),
    inBackground: options.inBackground,
  });
  const systemEvents = new SystemEvents({ ...parts, intake: options.intake, waker });
  return { systemEvents, waker, beat };
}

/** Runs the scheduler while `cron.enabled` is on. */
function createSwitch(
  scheduler: Scheduler,
  { inBackground }: Pick<ScheduleOptions, "inBackground">,
): { readonly set: (isOn: boolean) => void; readonly off: () => Promise<void> } {
  let isStarted = false;
  return {
    set(isOn) {
      if (isOn && !isStarted) scheduler.start();
      if (!isOn && isStarted) inBackground("scheduler", scheduler.stop());
      isStarted = isOn;
    },
    async off() {
      isStarted = false;
      await scheduler.stop();
    },
  };
}

/** Tells handlers of hooks of an outcome. */
function observeOutcome(occurrence: OccurrenceRecord, job: JobRecord | undefined, hooks: Pick<HookRunner, "observe">): void {
  if (job !== undefined) hooks.observe("cron_run", () => runPayload(occurrence, job));
}

/** Gives the agents' tool its jobs. */
function connectAgentJobs(
  services: { readonly jobs: JobService; readonly systemEvents: SystemEvents },
  { store, conversations, running }: ScheduleParts,
  { agentJobs, maySchedule }: ScheduleOptions,
): void {
  agentJobs.connect({
    ...services,
    store,
    modelOf: async ({ sessionKey, agentId, runId }) => {
      const turn = await store.readTurn(runId);
      if (turn === undefined) throw new Error("the run has no turn");
      return (await conversations.readContext(sessionKey, agentId, turn.origin)).model.reference;
    },
    grantOf: async (caller) => programGrantOf(caller, { store, running }),
    mayNest: () => running.config.cron.jobsMayCreateJobs,
    mayWork: async (job, caller) => {
      const sessionKey = chosenSession(job, running.config.session.mainKey);
      return sessionKey === undefined || maySchedule(sessionKey, caller);
    },
  });
}

/** What the conversation of a job is told of it. */
function jobNotices(
  book: JobBook,
  notices: Notices,
  { inBackground }: Pick<ScheduleOptions, "inBackground">,
): {
  readonly alert: (job: JobRecord, occurrence: OccurrenceRecord) => void;
  readonly onMissed: (jobId: string, missed: readonly OccurrenceRecord[]) => void;
} {
  return {
    alert: (job, { slotMs, reason = "" }) =>
      inBackground("job alert", tellJob(job, { text: alertText(job, reason), about: slotMs }, notices)),
    onMissed: (jobId, slots) => {
      const job = book.get(jobId);
      const [first] = slots;
      // Heartbeats are not made up for: the next one looks at everything.
      if (job === undefined || job.system !== undefined || first === undefined) return;
      inBackground("missed job", tellJob(job, { text: missedText(job, slots), about: first.slotMs }, notices));
    },
  };
}

/** Goes on with what an earlier process has claimed or begun; what it has claimed and is too late for now is missed. */
async function resumeOpen(
  open: readonly OccurrenceRecord[],
  {
    book,
    runner,
    onMissed,
    onOutcome,
    nowMs,
  }: {
    readonly book: JobBook;
    readonly runner: JobRunner;
    readonly onMissed: (jobId: string, missed: readonly OccurrenceRecord[]) => void;
    readonly onOutcome: (occurrence: OccurrenceRecord) => void;
    readonly nowMs: number;
  },
): Promise<void> {
  for (const occurrence of open) {
    const job = book.get(occurrence.jobId);
    const missed = job === undefined ? undefined : missedClaim(job, occurrence, nowMs);
    if (missed === undefined) runner.take(occurrence);
    else {
      await book.settle(missed, () => undefined);
      onOutcome(missed);
      onMissed(missed.jobId, [missed]);
    }
  }
}

/** Tells the conversation in which a job was made. */
async function tellJob(
  { id, authority, target }: JobRecord,
  { text, about }: { readonly text: string; readonly about: number },
  notices: Notices,
): Promise<void> {
  await notices.sendToChat(authority.sessionKey, target ?? authority.origin, { text, identity: ["job-notice", id, about] });
  await notices.addEntry(authority.sessionKey, { level: "warning", text, key: `job-notice:${id}:${about}` });
}

/** Reads `<channel>:<target>` or `<channel>/<account>:<target>`, or a target on the channel of the conversation. */
async function targetOf(to: string, origin: Origin, channels: ChannelRegistry): Promise<Origin | { readonly refusal: string }> {
  const [first = "", ...rest] = to.split(":");
  const [channel = "", ...account] = first.split("/");
  const isChannel = rest.length > 0 && channels.accountsOf(channel).length > 0;
  const address = isChannel ? { channel: [channel, ...account].join(":"), target: rest.join(":") } : { target: to };
  const found = await findTarget(address, origin, { channels, signal: AbortSignal.timeout(10_000) });
  return "refusal" in found ? found : found.target;
}

/** Why these cannot be the tools of a job; `undefined`: they can. */
function toolsProblem(tools: readonly string[], agent: Parameters<typeof unknownTools>[1]): string | undefined {
  const unknown = unknownTools(tools, agent);
  return unknown === undefined ? undefined : `${unknown} Name the tools of a job one by one; "factotum tools list" shows them.`;
}
