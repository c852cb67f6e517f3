import { Task, TaskState } from "@a2a-js/sdk";
import type { StreamResponse } from "@a2a-js/sdk";
import { HOPS_EXTENSION } from "../tasks/hops.ts";
import type { TaskPhase, TaskRecord, TaskText } from "../tasks/task-record.ts";

const STATES: Readonly<Record<TaskPhase, TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
};

/** The protocol's state of a task. */
export function stateOf({ phase }: Pick<TaskRecord, "phase">): TaskState {
  return STATES[phase];
}

/** The bytes of files that are sent, by the id of their text. */
type SentFiles = ReadonlyMap<string, Uint8Array>;

/** A task as its peer sees it. The history is not repeated: the peer wrote it. */
export function renderTask(
  record: TaskRecord,
  { withArtifacts, files }: { readonly withArtifacts: boolean; readonly files: SentFiles },
): Task {
  const { id, contextId, onwardHops } = record;
  const task = Task.fromJSON({ id, contextId, ...(onwardHops !== undefined && { metadata: { [HOPS_EXTENSION]: onwardHops } }) });
  const artifacts = withArtifacts ? record.texts.map((text) => renderArtifact(text, files)) : [];
  return { ...task, status: renderStatus(record), artifacts };
}

/** The events of texts that a task has got, or that have changed since. */
export function renderArtifactUpdates(before: TaskRecord, next: TaskRecord, files: SentFiles): readonly StreamResponse[] {
  const known = new Map(before.texts.map((text) => [text.id, text]));
  return next.texts.flatMap((text) => {
    const earlier = known.get(text.id);
    if (earlier === undefined) return [artifactUpdate(next, text, { append: false, files })];
    if (earlier.text === text.text && earlier.isGrowing === text.isGrowing) return [];
    // What only has grown is sent as its new end; another text replaces the artifact.
    return text.text.startsWith(earlier.text)
      ? [artifactUpdate(next, { ...text, text: text.text.slice(earlier.text.length) }, { append: true, files })]
      : [artifactUpdate(next, text, { append: false, files })];
  });
}

function artifactUpdate(
  { id, contextId }: TaskRecord,
  text: TaskText,
  { append, files }: { readonly append: boolean; readonly files: SentFiles },
): StreamResponse {
  const value = {
    taskId: id,
    contextId,
    artifact: renderArtifact(text, files),
    append,
    lastChunk: text.isGrowing !== true,
    metadata: undefined,
  };
  return { payload: { $case: "artifactUpdate", value } };
}

/** The state that a task has got. */
export function renderStatusUpdate(record: TaskRecord): StreamResponse {
  const { id, contextId } = record;
  return { payload: { $case: "statusUpdate", value: { taskId: id, contextId, status: renderStatus(record), metadata: undefined } } };
}

function renderStatus(record: TaskRecord): NonNullable<Task["status"]> {
  const { id, contextId, note, changedAtMs } = record;
  const said =
    note === undefined ? undefined : { messageId: `${id}-status`, contextId, taskId: id, role: "ROLE_AGENT", parts: [{ text: note }] };
  const state = stateOf(record);
  const { status } = Task.fromJSON({ id, contextId, status: { state, message: said, timestamp: new Date(changedAtMs).toISOString() } });
  return status ?? { state, message: undefined, timestamp: undefined };
}

function renderArtifact({ id, text, file }: TaskText, files: SentFiles): Task["artifacts"][number] {
  const bytes = files.get(id);
  const part =
    file === undefined || bytes === undefined
      ? { text, mediaType: "text/markdown" }
      : {
          raw: Buffer.from(bytes).toString("base64"),
          mediaType: file.mimeType,
          ...(file.fileName !== undefined && { filename: file.fileName }),
        };
  const [artifact] = Task.fromJSON({ artifacts: [{ artifactId: id, parts: [part] }] }).artifacts;
  if (artifact === undefined) throw new TypeError("the library made no artifact");
  return artifact;
}
