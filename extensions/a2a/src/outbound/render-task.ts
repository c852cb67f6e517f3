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

/** A task as its peer sees it. The history is not repeated: the peer wrote it. */
export function renderTask(record: TaskRecord, { withArtifacts = true }: { readonly withArtifacts?: boolean } = {}): Task {
  const { id, contextId, onwardHops } = record;
  const task = Task.fromJSON({ id, contextId, ...(onwardHops !== undefined && { metadata: { [HOPS_EXTENSION]: onwardHops } }) });
  const artifacts = withArtifacts ? record.texts.map(renderArtifact) : [];
  return { ...task, status: renderStatus(record), artifacts };
}

/** The events of texts that a task has got, or that have changed since. */
export function renderArtifactUpdates(before: TaskRecord, next: TaskRecord): readonly StreamResponse[] {
  const known = new Map(before.texts.map((text) => [text.id, text]));
  return next.texts.flatMap((text) => {
    const earlier = known.get(text.id);
    if (earlier === undefined) return [artifactUpdate(next, text, { append: false })];
    if (earlier.text === text.text && earlier.isGrowing === text.isGrowing) return [];
    // What only has grown is sent as its new end; another text replaces the artifact.
    return text.text.startsWith(earlier.text)
      ? [artifactUpdate(next, { ...text, text: text.text.slice(earlier.text.length) }, { append: true })]
      : [artifactUpdate(next, text, { append: false })];
  });
}

function artifactUpdate({ id, contextId }: TaskRecord, text: TaskText, { append }: { readonly append: boolean }): StreamResponse {
  const value = { taskId: id, contextId, artifact: renderArtifact(text), append, lastChunk: text.isGrowing !== true, metadata: undefined };
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

function renderArtifact({ id, text }: TaskText): Task["artifacts"][number] {
  const [artifact] = Task.fromJSON({ artifacts: [{ artifactId: id, parts: [{ text, mediaType: "text/markdown" }] }] }).artifacts;
  if (artifact === undefined) throw new TypeError("the library made no artifact");
  return artifact;
}
