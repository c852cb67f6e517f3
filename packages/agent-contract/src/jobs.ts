import type { JsonValue } from "./json.ts";
import type { ThinkingLevel, ToolCaller } from "./run.ts";

/** When a job falls due, as a person writes it. Local times without a `timezone` are in the agent's. */
export type JobSchedule =
  /** Once: an ISO time, or a duration from now (`20m`). */
  | { readonly type: "at"; readonly at: string; readonly timezone?: string }
  /** In elapsed time, from the anchor on; the anchor is now by default. */
  | { readonly type: "every"; readonly every: string; readonly anchor?: string; readonly timezone?: string }
  /** At the local times that a cron expression of five or six fields matches. `exact`: not spread over five minutes at the full hour. */
  | { readonly type: "cron"; readonly cron: string; readonly timezone?: string; readonly exact?: boolean };

/** What a job does. Only `agentTurn` calls a model. */
export type JobPayload =
  | { readonly type: "agentTurn"; readonly message: string }
  /** Sends the text as it is. */
  | { readonly type: "message"; readonly text: string }
  /**
   * Shows the text to the next turn of a session: that of `session`, by default that of the agent's heartbeat. `wake`: `now` makes the heartbeat due at once, by
   * default it is shown to the next one. The owner's only.
   */
  | { readonly type: "systemEvent"; readonly text: string; readonly wake?: "now" | "next-heartbeat" }
  /** Runs a program without a shell, and sends its output as it is. `cwd` is the agent's workspace by default. The owner's only. */
  | { readonly type: "command"; readonly argv: readonly string[]; readonly cwd?: string };

/** Where the outcome goes. */
export type JobDelivery =
  /** To `to` (`<channel>:<id>`), by default to the conversation in which the job was made. */
  | { readonly type: "announce"; readonly to?: string }
  /** As a signed POST. */
  | { readonly type: "webhook"; readonly url: string; readonly secret?: string }
  | { readonly type: "none" };

/** What decides without a model whether a run is worth it. Its output is given to the run as text of others. */
export type JobCheck =
  /** A program without a shell: exit code 0 runs the job. The owner's only. */
  | { readonly type: "argv"; readonly argv: readonly string[] }
  /** A GET request: a status of 200 to 299 runs the job. */
  | { readonly type: "url"; readonly url: string }
  /** A file of the workspace, or one given by its absolute path: runs the job when it has changed since the last run. */
  | { readonly type: "fileChanged"; readonly path: string };

/** What happens to slots that passed while the gateway was down. */
export interface JobCatchUp {
  /** `once` runs the newest of them, `all` each of them. Default: `once` for `at`, otherwise `skip`. */
  readonly mode: "skip" | "once" | "all";
  /** Older slots are missed: a duration, `24h` by default. */
  readonly maxAge?: string;
}

/** A job as it is asked for. */
export interface JobSpec {
  /** Unique among the jobs of the owner with its agent, and among those of others in one session. */
  readonly name: string;
  readonly description?: string;
  /** Default: true. */
  readonly enabled?: boolean;
  readonly schedule: JobSchedule;
  readonly payload: JobPayload;
  /** `isolated` (default): a session of its own for each run. `main`: the agent's main session. Otherwise a session by its key. */
  readonly session?: "isolated" | "main" | { readonly key: string };
  readonly delivery?: JobDelivery;
  readonly check?: JobCheck;
  /** Default: the model of the conversation in which the job was made. Isolated runs only. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Default: the agent's limit. */
  readonly timeoutSeconds?: number;
  /** True: no bootstrap files in the prompt. Isolated runs only. */
  readonly lightContext?: boolean;
  /** The tools that its runs may call, of those that its creator had. Default: all of them. */
  readonly tools?: readonly string[];
  readonly catchUp?: JobCatchUp;
  /** What happens to a slot while an earlier run goes on. Default: `skip`. */
  readonly overlap?: "skip" | "queue" | "replace";
  /** Default: true for `at`. */
  readonly deleteAfterRun?: boolean;
}

/** What is known of what an occurrence has sent: every part was accepted so far, one may have been shown or not, or one was given up. */
export type JobReceipt = "delivered" | "ambiguous" | "undelivered";

/** The outcome of one slot of a job: each slot has exactly one. */
export interface JobOccurrence {
  readonly jobId: string;
  /** The planned instant, milliseconds since the epoch. */
  readonly slotMs: number;
  /** `claimed`: to be run. `missed`: not run, because the gateway was down or the clock jumped. */
  readonly state: "claimed" | "running" | "done" | "failed" | "skipped" | "missed";
  /** From 1. */
  readonly attempt: number;
  /** Asked for by a person rather than by the schedule. */
  readonly isManual?: true;
  /** Why it failed, was skipped or missed. */
  readonly reason?: string;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** The beginning of what it said. */
  readonly text?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Absent: it has sent nothing, or nothing whose outcome is known yet. */
  readonly receipt?: JobReceipt;
  /** The session in which it ran. */
  readonly sessionKey?: string;
  /** Of a row that stands for several missed slots: how many. */
  readonly count?: number;
  /** The earliest start of the next attempt. */
  readonly notBeforeMs?: number;
}

/** A job with its state. */
export interface JobView {
  readonly id: string;
  readonly agentId: string;
  readonly spec: JobSpec;
  readonly createdAtMs: number;
  /** Where it was made: a session's key, or the command line. */
  readonly createdIn: string;
  /** Absent: it will not run again. */
  readonly nextAtMs?: number;
  readonly last?: JobOccurrence;
  /** Failures in a row. */
  readonly failures: number;
  /** Why the gateway has disabled it. */
  readonly disabledBecause?: string;
}

/** The outcome of a change. `refused` says what to do. */
export type JobChange = { readonly type: "done"; readonly job: JobView } | { readonly type: "refused"; readonly message: string };

/** The caller of a job's tool. */
export interface JobCaller extends ToolCaller {
  /** What a decision on the call covers, as its inspection says. Absent: the call names no program. */
  readonly binding?: JsonValue;
}

/** What became of a wake-up. `note`: why nothing was woken at once. `refused` says what to do. */
export type WakeResult = { readonly type: "done"; readonly note?: string } | { readonly type: "refused"; readonly message: string };

/** Scheduled jobs, for the tool `cron`. A caller that is not the owner sees and changes only jobs made in its session. Implemented by the gateway. */
export interface ScheduledJobs {
  list(caller: JobCaller): Promise<readonly JobView[]>;
  add(spec: JobSpec, caller: JobCaller): Promise<JobChange>;
  /** `id`: an id or a name. */
  update(id: string, change: Partial<JobSpec>, caller: JobCaller): Promise<JobChange>;
  remove(id: string, caller: JobCaller): Promise<JobChange>;
  /** Runs it at once, besides its schedule. */
  run(id: string, caller: JobCaller): Promise<JobChange>;
  /** Tells the agent's heartbeat of something, the owner's runs alone: `now` makes it due at once. */
  wake(event: { readonly text: string; readonly wake: "now" | "next-heartbeat" }, caller: JobCaller): Promise<WakeResult>;
  /** Newest first; `undefined` if there is no such job. */
  runs(id: string, options: { readonly limit: number }, caller: JobCaller): Promise<readonly JobOccurrence[] | undefined>;
}
