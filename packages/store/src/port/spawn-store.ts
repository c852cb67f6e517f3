import type { JsonSchema } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { InputAdmission, InputRecord } from "./inbox-records.ts";
import type { NewRequest } from "./ledger-store.ts";
import type { TranscriptBody, TranscriptEntry } from "./transcript-records.ts";
import type { ToolJournalRecord } from "./turn-records.ts";

/**
 * `idle`: it has reported a run, and stays open for messages (`isPersistent`). `lost`: its end is unknown, since the store was restored from a copy or its task is
 * gone.
 */
export type SpawnState = "queued" | "running" | "idle" | "done" | "failed" | "timeout" | "killed" | "lost";

/** True until a sub-agent has ended. */
export function isOpenSpawn({ state }: { readonly state: SpawnState }): boolean {
  return state === "idle" || isWorkingSpawn({ state });
}

/** True while a sub-agent has something to report. */
export function isWorkingSpawn({ state }: { readonly state: SpawnState }): boolean {
  return state === "queued" || state === "running";
}

/** How a sub-agent, or one of its runs, can end. */
export type SpawnEndState = Exclude<SpawnState, "queued" | "running" | "idle">;

/** A sub-agent whose run begins; `undefined` if it is running already, or has ended. */
export function begunSpawn(spawn: SpawnRecord, startedAtMs: number): SpawnRecord | undefined {
  if (spawn.state === "queued") return { ...spawn, state: "running", startedAtMs };
  if (spawn.state !== "idle") return undefined;
  // What was waited for has been reported.
  const { isAwaited: _reported, ...next } = spawn;
  return { ...next, state: "running", deadlineAtMs: startedAtMs + (spawn.runTimeoutMs ?? 0) };
}

/** An input that the gateway makes itself. */
export interface OwnInput {
  readonly message: MsgContext;
  readonly admission: InputAdmission;
}

/** A sub-agent: one task that a session has handed out. */
export interface SpawnRecord {
  /** Its run id. */
  readonly id: string;
  /** The session that asked for it, the conversation of that session, and the turn. */
  readonly parentKey: string;
  readonly parentSessionId: string;
  readonly parentTurnId: string;
  /** The session that started the whole tree. */
  readonly rootKey: string;
  readonly childKey: string;
  /** The sub-agent's agent. */
  readonly agentId: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  /** A sub-agent at this depth starts no others. */
  readonly maxDepth: number;
  readonly task: string;
  readonly label?: string;
  /** The form of its result: a JSON Schema. Absent: any text. */
  readonly outputSchema?: JsonSchema;
  /** `delete`: its session is removed once its end is reported. */
  readonly cleanup: "keep" | "delete";
  /** It stays open after its task, for messages, each of which begins a run with a report of its own. */
  readonly isPersistent?: true;
  /** Duration of a run after its first one. Given for a persistent one. */
  readonly runTimeoutMs?: number;
  /** Runs that were reported while it stayed open. */
  readonly reports?: number;
  readonly createdAtMs: number;
  /** When its run is ended; while it is idle, when it ends itself. */
  readonly deadlineAtMs: number;
  readonly state: SpawnState;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** Its last text, also a partial one. */
  readonly result?: string;
  /** Why it, or the last run of an idle one, did not end as `done`. */
  readonly reason?: string;
  /** Its parent has ended a turn to wait for it, and gets its result together with those of the others that it waits for. */
  readonly isAwaited?: true;
  /** When its end, or the last run of an idle one, was reported: by an input of its parent, or by a message. */
  readonly announcedAtMs?: number;
  /** The input of the parent that reports its end; its text is written then. */
  readonly report: OwnInput;
  /** Under which authority, and bound to what, it works. */
  readonly child: InputAdmission;
}

/** A sub-agent to start, with the input that its first turn begins with. */
export interface NewSpawn {
  readonly spawn: SpawnRecord;
  readonly input: OwnInput;
}

/** The end of a sub-agent, or of a run after which it stays open. */
export interface SpawnEnd {
  readonly id: string;
  readonly state: SpawnEndState;
  readonly result?: string;
  readonly reason?: string;
  readonly endedAtMs: number;
  /** When its session is removed. */
  readonly expiresAtMs: number;
  /** It stays open, and ends at this time if nothing is said to it. Its session does not expire. */
  readonly idleUntilMs?: number;
  /** The input that reports it to its parent. Absent: no report is needed. */
  readonly report?: OwnInput;
}

/** What became of an end. `input`: the parent's input, if the conversation that asked for the sub-agent still exists. */
export interface EndedSpawn {
  readonly spawn: SpawnRecord;
  readonly input?: InputRecord;
}

/** Sub-agents. Their rows go with their sessions. */
export interface SpawnStore {
  /** Like `appendToTurn`, and in the same commit the sub-agents that its tool calls have started, each with its input. Resolves with the inputs in that order. */
  appendSpawns(
    turnId: string,
    options: {
      readonly entries: readonly TranscriptBody[];
      readonly journal?: readonly Omit<ToolJournalRecord, "turnId">[];
      readonly requests?: readonly NewRequest[];
      readonly timestampMs: number;
      readonly spawns: readonly NewSpawn[];
    },
  ): Promise<{ readonly entries: readonly TranscriptEntry[]; readonly inputs: readonly InputRecord[] }>;
  /**
   * Ends a sub-agent that no turn ends, or a run of one that stays open, and reports it to its parent in the same commit. The parent gets its input only if its
   * conversation is the one that asked, and, if it is a sub-agent itself, is still open. `undefined` if it had ended before: an end is reported once.
   */
  endSpawn(end: SpawnEnd): Promise<EndedSpawn | undefined>;
  /** Records that their parent waits for these; no-op for those that have ended. */
  awaitSpawns(ids: readonly string[]): Promise<void>;
  /** Records that its end was reported by a message. */
  announceSpawn(id: string, options: { readonly nowMs: number }): Promise<void>;
  /** Oldest first. A damaged one is left out and reported. */
  listSpawns(): Promise<readonly SpawnRecord[]>;
}
