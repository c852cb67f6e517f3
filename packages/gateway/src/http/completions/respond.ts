import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { Answer, AnswerEnd, AnswerEvent, AnswerUsage } from "./answer.ts";
import { renderToolCalls } from "./client-tools.ts";
import { renderChunk, renderCompletion, renderError, renderFinishReason, renderUsageChunk } from "./render-response.ts";
import { respondWithEvents } from "./respond-with-events.ts";
import type { CompletionIdentity } from "./render-response.ts";

/** A failed answer. */
export type Failed = Extract<AnswerEnd, { readonly type: "failed" }>;

/** Waits for the complete answer. */
export async function respondWhole(answer: Answer, identity: CompletionIdentity): Promise<Response> {
  const { headers } = answer;
  let text = "";
  let reasoning = "";
  for await (const event of answer.events) {
    switch (event.type) {
      case "text":
        text += event.text;
        break;
      case "reasoning":
        reasoning += event.text;
        break;
      case "withdrawal":
        reasoning = reasoning.slice(0, reasoning.length - event.characters);
        break;
      case "failed":
        return Response.json(renderFailure(event), { status: failureStatus(event), headers: { ...headers, ...retryHeaders(event) } });
      case "notice":
        return Response.json(
          renderCompletion(identity, { text: event.text, reasoning: withoutBlankStart(reasoning), calls: [] }, "stop", NO_USAGE_TOTALS),
          { headers },
        );
      case "done":
        return Response.json(
          renderCompletion(
            identity,
            { text, reasoning: withoutBlankStart(reasoning), calls: event.calls },
            renderFinishReason(event.stopReason, event.calls),
            event.usage,
          ),
          { headers },
        );
    }
  }
  throw new Error("the answer's events ended without an end");
}

/** A blank line separates a withdrawn part from the next one. */
function withoutBlankStart(reasoning: string): string {
  return reasoning.replace(/^\n+/, "");
}

/** Streams the answer. */
export function respondStreaming(
  answer: Answer,
  identity: CompletionIdentity,
  { includeUsage, ...parts }: { readonly includeUsage: boolean; readonly clock: Clock; readonly logger: Logger },
): Response {
  const chunk = (delta: object, finishReason: string | null = null): object => renderChunk(identity, delta, finishReason, includeUsage);
  const end = (finishReason: string, usage: AnswerUsage): readonly (object | string)[] => [
    chunk({}, finishReason),
    ...(includeUsage ? [renderUsageChunk(identity, usage)] : []),
    "[DONE]",
  ];
  const render = (event: AnswerEvent): readonly (object | string)[] => {
    switch (event.type) {
      case "text":
        return [chunk({ content: event.text })];
      case "reasoning":
        return [chunk({ reasoning_content: event.text })];
      case "withdrawal":
        // Sent text cannot be withdrawn: the next part comes after a blank line.
        return [];
      case "failed":
        return [renderFailure(event)];
      case "notice":
        return [chunk({ content: event.text }), ...end("stop", NO_USAGE_TOTALS)];
      case "done": {
        const calls = renderToolCalls(event.calls).map((call, index) => ({ index, ...call }));
        return [
          ...(calls.length === 0 ? [] : [chunk({ tool_calls: calls })]),
          ...end(renderFinishReason(event.stopReason, event.calls), event.usage),
        ];
      }
      default:
        return event satisfies never;
    }
  };
  const frame = (data: object | string): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  return respondWithEvents(
    answer,
    { begin: () => [frame(chunk({ role: "assistant", content: "" }))], render: (event) => render(event).map(frame) },
    parts,
  );
}

/** A failed answer as an error object. */
export function renderFailure({ outcome, message }: Failed): object {
  return renderError(message, { type: "server_error", code: outcome.type === "failed" ? outcome.code : "aborted" });
}

/** The HTTP status of a failed answer. */
export function failureStatus({ outcome }: Failed): number {
  const code = outcome.type === "failed" ? outcome.code : "aborted";
  // Never 429: the provider's rate limit is not a limit of this gateway, as clients would assume.
  if (code === "rate-limited" || code === "overloaded" || code === "budget") return 503;
  if (code === "denied") return 403;
  if (code === "context-overflow") return 400;
  if (code === "timeout") return 504;
  return code === "aborted" ? 499 : 502;
}

/** The run has already retried, and the message is in the conversation: a client's retry would send it twice. */
export function retryHeaders({ outcome }: Failed): Readonly<Record<string, string>> {
  const retryAfterMs = outcome.type === "failed" ? outcome.retryAfterMs : undefined;
  return {
    "x-should-retry": "false",
    ...(retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  };
}
