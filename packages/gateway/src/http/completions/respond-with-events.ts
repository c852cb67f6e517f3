import type { Clock, Logger } from "@factotum/agent-contract";
import type { Answer, AnswerEvent } from "./answer.ts";

/** Comments keep proxies from closing a stream while tools run. */
const KEEP_ALIVE_MS = 15_000;

/** Renders an answer as frames of server-sent events. */
export interface EventRenderer {
  readonly begin: () => readonly string[];
  readonly render: (event: AnswerEvent) => readonly string[];
}

/** Streams an answer as server-sent events. The client's departure cancels the answer. */
export function respondWithEvents(
  answer: Answer,
  renderer: EventRenderer,
  options: { readonly clock: Clock; readonly logger: Logger },
): Response {
  return new Response(streamAnswer(answer, renderer, options), {
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
  { begin, render }: EventRenderer,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let beat: Disposable | undefined;
  return new ReadableStream({
    start: (controller) => {
      const send = (frames: readonly string[]): void => {
        for (const frame of frames) controller.enqueue(encoder.encode(frame));
      };
      const keepAlive = (): void => {
        beat = clock.schedule(KEEP_ALIVE_MS, () => {
          send([": still working\n\n"]);
          keepAlive();
        });
      };
      keepAlive();
      const pump = async (): Promise<void> => {
        send(begin());
        for await (const event of answer.events) send(render(event));
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
