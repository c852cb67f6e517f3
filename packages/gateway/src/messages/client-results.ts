import type { AgentMessage, ToolResultMessage } from "@factotum/agent-contract";
import type { ClientResult, InputRecord } from "@factotum/store";
import { openClientCalls } from "../context/open-calls.ts";

const NOT_ANSWERED = "The client did not answer this call. It may have taken effect; look before doing it again.";

/**
 * The results of the calls of a client's tools that a conversation waits for, each exactly once (R8): those that the client has sent, and an error for the
 * others. They are tainted, since nothing says whose text a client's tool returns (R23).
 */
export function closeClientCalls(
  messages: readonly AgentMessage[],
  results: readonly ClientResult[],
  timestamp: number,
): readonly ToolResultMessage[] {
  const sent = new Map(results.map(({ callId, text }) => [callId, text]));
  return openClientCalls(messages).map(({ id, name }) => {
    const text = sent.get(id);
    const head = { role: "toolResult", toolCallId: id, toolName: name, timestamp } as const;
    if (text === undefined) return { ...head, content: [{ type: "text", text: NOT_ANSWERED }], isError: true };
    return { ...head, content: [{ type: "text", text }], isError: false, tainted: true };
  });
}

/** What is wrong with a client's results; `undefined` if they answer exactly the calls that the conversation waits for, or none of them. */
export function checkClientResults(messages: readonly AgentMessage[], results: readonly ClientResult[]): string | undefined {
  const open = openClientCalls(messages).map(({ id }) => id);
  const sent = results.map(({ callId }) => callId);
  const unknown = sent.filter((id) => !open.includes(id));
  if (unknown.length > 0)
    return `no call with the id ${unknown.join(", ")} waits for a result${open.length === 0 ? "" : `; these do: ${open.join(", ")}`}.`;
  if (new Set(sent).size < sent.length) return "a call has one result, and two were sent.";
  const missing = open.filter((id) => !sent.includes(id));
  return sent.length === 0 || missing.length === 0
    ? undefined
    : `the result of ${missing.join(", ")} is missing; send those of all calls in one request.`;
}

/** An input whose results came too late for their calls, such as after a reset: they are its text, marked as text of others. */
export function withLateResults(input: InputRecord): InputRecord {
  const { message, admission } = input;
  const lines = (admission.clientResults ?? []).map(({ callId, text }) => `[Result of ${callId}]\n${text}`);
  const text = ["Results of calls that are no longer part of this conversation:", ...lines].join("\n\n");
  return { ...input, message: { ...message, text }, admission: { ...admission, tainted: true } };
}
