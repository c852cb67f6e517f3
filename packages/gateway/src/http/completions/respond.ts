import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { Answer, AnswerEnd, AnswerUsage } from "./answer.ts";
import { renderToolCalls } from "./client-tools.ts";
import { renderChunk, renderCompletion, renderError, renderFinishReason, renderUsageChunk } from "./render-response.ts";
import type { CompletionIdentity } from "./render-response.ts";

/** Comments keep proxies from closing a stream while tools run. */
const KEEP_ALIVE_MS = 15_000;

type Failed = Extract<AnswerEnd, { readonly type: "failed" }>;

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
  options: { readonly includeUsage: boolean; readonly clock: Clock; readonly logger: Logger },
): Response {
  return new Response(streamAnswer(answer, identity, options), {
    headers: {
      ...answer.headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // nginx would hold an answer back until its buffer is full.
      "x-accel-buffering": "no",
    },
  });
}

function streamAnswer(
  answer: Answer,
  identity: CompletionIdentity,
  { includeUsage, clock, logger }: { readonly includeUsage: boolean; readonly clock: Clock; readonly logger: Logger },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let beat: Disposable | undefined;
  return new ReadableStream({
    start: (controller) => {
      const send = (data: object | string): void =>
        controller.enqueue(encoder.encode(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`));
      const sendDelta = (delta: object): void => send(renderChunk(identity, delta, null, includeUsage));
      const end = (finishReason: string, usage: AnswerUsage): void => {
        send(renderChunk(identity, {}, finishReason, includeUsage));
        if (includeUsage) send(renderUsageChunk(identity, usage));
        send("[DONE]");
      };
      const keepAlive = (): void => {
        beat = clock.schedule(KEEP_ALIVE_MS, () => {
          controller.enqueue(encoder.encode(": still working\n\n"));
          keepAlive();
        });
      };
      keepAlive();
      const pump = async (): Promise<void> => {
        sendDelta({ role: "assistant", content: "" });
        for await (const event of answer.events) {
          switch (event.type) {
            case "text":
              sendDelta({ content: event.text });
              break;
            case "reasoning":
              sendDelta({ reasoning_content: event.text });
              break;
            case "withdrawal":
              // Sent text cannot be withdrawn: the next part comes after a blank line.
              break;
            case "failed":
              send(renderFailure(event));
              break;
            case "notice":
              sendDelta({ content: event.text });
              end("stop", NO_USAGE_TOTALS);
              break;
            case "done":
              if (event.calls.length > 0)
                sendDelta({ tool_calls: renderToolCalls(event.calls).map((call, index) => ({ index, ...call })) });
              end(renderFinishReason(event.stopReason, event.calls), event.usage);
          }
        }
      };
      pump().then(
        () => {
          beat?.[Symbol.dispose]();
          controller.close();
        },
        (error: unknown) => {
          beat?.[Symbol.dispose]();
          // The client has left; its own signal has stopped the run.
          logger.debug("A completion stream ended early", { error });
        },
      );
    },
    cancel: async () => {
      beat?.[Symbol.dispose]();
      await answer.cancel();
    },
  });
}

function renderFailure({ outcome, message }: Failed): object {
  return renderError(message, { type: "server_error", code: outcome.type === "failed" ? outcome.code : "aborted" });
}

function failureStatus({ outcome }: Failed): number {
  const code = outcome.type === "failed" ? outcome.code : "aborted";
  // Never 429: the provider's rate limit is not a limit of this gateway, as clients would assume.
  if (code === "rate-limited" || code === "overloaded" || code === "budget") return 503;
  if (code === "context-overflow") return 400;
  if (code === "timeout") return 504;
  return code === "aborted" ? 499 : 502;
}

/** The run has already retried, and the message is in the conversation: a client's retry would send it twice. */
function retryHeaders({ outcome }: Failed): Readonly<Record<string, string>> {
  const retryAfterMs = outcome.type === "failed" ? outcome.retryAfterMs : undefined;
  return {
    "x-should-retry": "false",
    ...(retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  };
}
