import type {
  AgentEvent,
  AssistantMessage,
  ModelEvent,
  ModelRequest,
  RunFailureCode,
  ToolCallContent,
  ToolResultMessage,
} from "@factotum/agent-contract";
import { projectMessages } from "../projection/project-messages.ts";
import { PartialMessage } from "./partial-message.ts";
import type { RunState } from "./run-state.ts";
import { describeError, settle } from "./settle.ts";

/** The result of one model request. `partial`: the shown part of an unfinished answer. */
export type ModelAnswer =
  /** `results`: of calls that an external agent has made itself. */
  | { readonly type: "answered"; readonly message: AssistantMessage; readonly results: readonly ToolResultMessage[] }
  | { readonly type: "aborted"; readonly partial: AssistantMessage | undefined }
  | {
      readonly type: "failed";
      readonly code: RunFailureCode;
      readonly message: string;
      readonly retryAfterMs?: number;
      readonly partial: AssistantMessage | undefined;
    };

/** Sends the conversation to the model and yields its stream. An abort ends it at once, without waiting for the client; what was shown is kept. */
export async function* requestModel(run: RunState): AsyncGenerator<AgentEvent, ModelAnswer, undefined> {
  run.startRequest();
  const { model, system, settings } = run.input;
  const request: ModelRequest = { ...settings, system, messages: projectMessages(run.messages, model.info), tools: run.schemas };
  const shown = new PartialMessage(model.info);
  const stream = model.stream(request, { signal: run.signal })[Symbol.asyncIterator]();
  let closed = false;
  try {
    for (;;) {
      const next = await settle(() => stream.next(), run.signal);
      if (next.type === "aborted") return { type: "aborted", partial: shown.build("aborted", run.abortReason, run.input.now()) };
      closed = next.type === "error" || next.value.done === true;
      if (next.type === "error") return broken(run, shown, "internal", `The model client failed: ${describeError(next.error)}`);
      if (next.value.done === true) return broken(run, shown, "truncated", "The model's answer broke off.");
      const event: ModelEvent = next.value.value;
      if (event.type === "message-failed") return failed(run, shown, event);
      if (event.type === "message-end") return ended(event);
      shown.add(event);
      yield { type: "model-event", turn: run.turn, event };
    }
  } finally {
    if (!closed) close(stream);
  }
}

/** Lets the client close its connection without waiting for it: a hanging client must not block the run, and a failure no longer matters. */
function close(stream: AsyncIterator<ModelEvent>): void {
  void settle(async () => await stream.return?.(), new AbortController().signal);
}

function ended({ message, results = [] }: Extract<ModelEvent, { readonly type: "message-end" }>): ModelAnswer {
  if (message.stopReason !== "aborted" && message.stopReason !== "error") return { type: "answered", message, results };
  const why = message.errorMessage ?? "The model's answer broke off.";
  return { type: "failed", code: "truncated", message: why, partial: withoutCalls(message) };
}

function failed(run: RunState, shown: PartialMessage, event: Extract<ModelEvent, { type: "message-failed" }>): ModelAnswer {
  const { error } = event;
  if (run.signal.aborted) {
    return { type: "aborted", partial: withoutCalls(event.partial) ?? shown.build("aborted", run.abortReason, run.input.now()) };
  }
  const partial = withoutCalls(event.partial) ?? shown.build("error", error.message, run.input.now());
  const after = error.retry.type === "after" ? { retryAfterMs: error.retry.delayMs } : {};
  return { type: "failed", code: error.code, message: error.message, ...after, partial };
}

function broken(run: RunState, shown: PartialMessage, code: RunFailureCode, message: string): ModelAnswer {
  return { type: "failed", code, message, partial: shown.build("error", message, run.input.now()) };
}

/** Removes the calls of an unfinished message, which runs no tools. */
function withoutCalls(message: AssistantMessage | undefined): AssistantMessage | undefined {
  if (message === undefined) return undefined;
  const content = message.content.filter((block): block is Exclude<typeof block, ToolCallContent> => block.type !== "toolCall");
  if (content.length === 0) return undefined;
  const stopReason = message.stopReason === "aborted" ? "aborted" : "error";
  return { ...message, content, stopReason };
}
