import * as z from "zod";

/** The task states of the protocol that this agent uses. */
export type TaskPhase = "submitted" | "working" | "completed" | "failed" | "canceled" | "rejected";

/** One text for the peer. */
export interface TaskText {
  /** Derived from the send's key, so that a repeated send is recognised. */
  readonly id: string;
  readonly text: string;
  /** More of it follows. */
  readonly isGrowing?: true;
  /** It is a file, whose bytes are kept under its id; the text is what is shown without them. */
  readonly file?: { readonly mimeType: string; readonly fileName?: string };
}

/** A task as it is stored: one message of a peer, and what was answered. */
export interface TaskRecord {
  readonly id: string;
  readonly contextId: string;
  readonly phase: TaskPhase;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  readonly texts: readonly TaskText[];
  /** Why there is no answer. */
  readonly note?: string;
  /** How many agents a request that the task causes has passed. Absent for a task that the peer did not ask for. */
  readonly onwardHops?: number;
}

const TaskRecordSchema: z.ZodType<TaskRecord> = z.strictObject({
  id: z.string(),
  contextId: z.string(),
  phase: z.enum(["submitted", "working", "completed", "failed", "canceled", "rejected"]),
  createdAtMs: z.number(),
  changedAtMs: z.number(),
  texts: z.array(
    z.strictObject({
      id: z.string(),
      text: z.string(),
      isGrowing: z.literal(true).exactOptional(),
      file: z.strictObject({ mimeType: z.string(), fileName: z.string().exactOptional() }).exactOptional(),
    }),
  ),
  note: z.string().exactOptional(),
  onwardHops: z.number().exactOptional(),
});

/** Longer than a run may take. A task without an answer by then counts as failed: its message was dropped. */
const TASK_TIMEOUT_MS = 2 * 60 * 60_000;

/** True while an answer is expected. */
export function isOpen({ phase }: Pick<TaskRecord, "phase">): boolean {
  return phase === "submitted" || phase === "working";
}

/** Reads a stored row as it is at `nowMs`; `undefined` for an invalid row. */
export function readTask(json: unknown, nowMs: number): TaskRecord | undefined {
  const { data } = TaskRecordSchema.safeParse(json);
  if (data === undefined || !isOpen(data) || nowMs - data.createdAtMs < TASK_TIMEOUT_MS) return data;
  return { ...data, phase: "failed", changedAtMs: data.createdAtMs + TASK_TIMEOUT_MS, note: "There was no answer within two hours." };
}
