import type { ToolCall } from "@factotum/agent-contract";
import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { AnswerEnd, AnswerUsage } from "../completions/answer.ts";

/** Common fields of all objects of one response. */
export interface ResponseIdentity {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** As requested by the client. */
  readonly model: string;
  /** Id of the output item with the text. */
  readonly messageId: string;
  /** Repeated from the request. */
  readonly echo: Readonly<Record<string, unknown>>;
}

/** The response object before its end: without output. */
export function renderUnfinished(identity: ResponseIdentity): object {
  return { ...commonFields(identity), status: "in_progress", error: null, incomplete_details: null, output: [], usage: null };
}

/** The response object of an ended answer. */
export function renderResponse(identity: ResponseIdentity, text: string, end: AnswerEnd): object {
  const calls = end.type === "done" ? end.calls : [];
  const output = [
    ...(text === "" ? [] : [renderMessage(identity.messageId, text, "completed")]),
    ...calls.map((call) => renderCall(call, "completed")),
  ];
  return { ...commonFields(identity), ...renderStatus(end), output, usage: renderUsage(end.type === "done" ? end.usage : NO_USAGE_TOTALS) };
}

/** The last event's type. */
export function endType(end: AnswerEnd): "response.completed" | "response.incomplete" | "response.failed" {
  if (end.type === "failed") return "response.failed";
  return isIncomplete(end) ? "response.incomplete" : "response.completed";
}

function renderStatus(end: AnswerEnd): object {
  if (end.type === "failed") {
    const { outcome, message } = end;
    return { status: "failed", error: { code: outcome.type === "failed" ? outcome.code : "aborted", message }, incomplete_details: null };
  }
  return isIncomplete(end)
    ? { status: "incomplete", error: null, incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed", error: null, incomplete_details: null };
}

function isIncomplete(end: AnswerEnd): boolean {
  return end.type === "done" && end.stopReason === "length";
}

/** The output item of a text. */
export function renderMessage(id: string, text: string, status: "in_progress" | "completed"): object {
  return { id, type: "message", status, role: "assistant", content: status === "completed" ? [renderText(text)] : [] };
}

/** The content part of a text. */
export function renderText(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** The output item of a call. */
export function renderCall({ id, name, arguments: given }: ToolCall, status: "in_progress" | "completed"): object {
  return {
    id: `fc_${id}`,
    type: "function_call",
    status,
    call_id: id,
    name,
    arguments: status === "completed" ? JSON.stringify(given) : "",
  };
}

function commonFields({ id, createdAt, model, echo }: ResponseIdentity): object {
  return {
    id,
    object: "response",
    created_at: createdAt,
    model,
    background: false,
    parallel_tool_calls: true,
    temperature: null,
    top_p: null,
    max_output_tokens: null,
    truncation: "disabled",
    reasoning: { effort: null, summary: null },
    text: { format: { type: "text" } },
    ...echo,
  };
}

/** OpenAI counts cached tokens as part of the input; ours are separate. */
function renderUsage(usage: AnswerUsage): object {
  const inputTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + usage.output,
  };
}
