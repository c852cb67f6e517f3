import type { JobOccurrence, JobReceipt, JobSpec } from "@factotum/agent-contract";
import type { Origin, Sender } from "@factotum/channel-contract";

/** Under whose authority a job runs, and where it reports. Fixed when it is made. */
export interface JobAuthority {
  readonly owner: boolean;
  /** The owner's authority comes from the owner list: it ends when the list no longer names the sender. */
  readonly isListedOwner?: true;
  readonly sender: Sender;
  /** The address of the conversation in which it was made. */
  readonly origin: Origin;
  /** The session of that conversation. */
  readonly sessionKey: string;
}

/**
 * What allows a program of a job. `owner`: the owner's word outside of a run of the assistant, or the mode `full` of the conversation. `approval`: a decision on
 * the call that made it. `mode`: `tools.exec.mode` was `full`, so no decision was asked for.
 */
export type ProgramGrant = { readonly type: "owner" | "mode" } | { readonly type: "approval"; readonly id: string };

/** A program of a job, as it was when it was allowed. */
export interface BoundProgram {
  /** The files that it runs, by path, with digests of their content. */
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  readonly grant: ProgramGrant;
}

/** A scheduled job. */
export interface JobRecord {
  readonly id: string;
  readonly agentId: string;
  readonly spec: JobSpec;
  /** A job of the gateway's own, which follows the configuration. */
  readonly system?: "heartbeat" | "review";
  readonly authority: JobAuthority;
  readonly createdAtMs: number;
  /** The instant from which relative times of its schedule count: when the schedule was set. */
  readonly scheduledAtMs: number;
  /** The next slot; absent if there is none, or while it is disabled. */
  readonly nextSlotMs?: number;
  /** The newest slot that has had its row: a clock that is set back comes to it a second time. */
  readonly decidedMs?: number;
  /** Slots up to this instant may have no rows of their own: they share one, and are not decided on again when the clock is set back. */
  readonly sharedUntilMs?: number;
  /** Failures in a row. */
  readonly failures: number;
  /** When its last alert was sent. */
  readonly alertedAtMs?: number;
  /** Why the gateway has disabled it. */
  readonly disabledBecause?: string;
  /** Slots before it count as missed: the store was restored from a copy, and they may have run since. Set by the store. */
  readonly ignoredBeforeMs?: number;
  /** The address of `delivery.to`; of a job of the gateway's own, while it runs, that of the owner. */
  readonly target?: Origin;
  /** What `fileChanged` saw at the last run. */
  readonly checked?: string;
  /** The slot in which a job has run that is removed after it: it is kept until what became of all that it has sent is known, and does not run again. */
  readonly overSlotMs?: number;
  /** The programs of its payload and its check; one without a row here is not run. */
  readonly programs?: { readonly payload?: BoundProgram; readonly check?: BoundProgram };
}

/** An occurrence with what a restart needs to go on with it. */
export interface OccurrenceRecord extends JobOccurrence {
  /** The address of its turn, from its start on: with another one a restart would begin another turn. */
  readonly origin?: Origin;
  /** What its check has printed, once it has decided for the run: until the outcome, so that it is made once. */
  readonly checkOutput?: string;
}

/** Scheduled jobs and their occurrences: one row for each slot, ever. */
export interface JobStore {
  /** Stores a job, new or changed. */
  putJob(job: JobRecord): Promise<void>;
  readJob(id: string): Promise<JobRecord | undefined>;
  /** Oldest first. A damaged one is left out and reported. */
  listJobs(): Promise<readonly JobRecord[]>;
  /** Removes a job with its occurrences; false if there is none. */
  removeJob(id: string): Promise<boolean>;
  /** One commit: stores the job, whose next slot has moved on, and rows for the slots that it has passed. Resolves with the rows that are new; a slot that has a row keeps it. */
  claimOccurrences(job: JobRecord, occurrences: readonly OccurrenceRecord[]): Promise<readonly OccurrenceRecord[]>;
  /** Replaces the row of a slot except for a worse receipt, and in the same commit the job if one is given and exists. No-op if the slot has no row. */
  putOccurrence(occurrence: OccurrenceRecord, job?: JobRecord): Promise<void>;
  /** Adds what became of something that a slot has sent: of several, the worst counts. No-op if the slot has no row. */
  addReceipt(slot: Pick<OccurrenceRecord, "jobId" | "slotMs">, receipt: JobReceipt): Promise<void>;
  /** Newest slot first. */
  listOccurrences(jobId: string, options: { readonly limit: number }): Promise<readonly OccurrenceRecord[]>;
  /** Those that are claimed or running, oldest slot first. */
  listOpenOccurrences(): Promise<readonly OccurrenceRecord[]>;
}
