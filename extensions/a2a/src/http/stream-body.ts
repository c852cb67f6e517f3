import { formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from "@a2a-js/sdk";
import type { Clock } from "@factotum/channel-contract";

/** So that proxies keep the connection of a task that takes its time. */
const KEEP_ALIVE_MS = 15_000;
/** What is quick is answered with a plain status; what takes longer begins before it is known, which frees the gateway's place for requests. */
const QUICK_MS = 50;

/** What responses need. */
export interface StreamBodyOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** Fires when the channel stops. */
  readonly stopping: AbortSignal;
  /** The answer to what went wrong after a stream began. */
  readonly failed: (error: unknown) => object;
}

/**
 * The response of a call that ends with a value, as JSON, or with events, as a stream of them. `work` gets a signal that fires when the client is gone or the
 * channel stops, and never rejects.
 */
export async function streamBody(
  work: (gone: AbortSignal) => Promise<object | AsyncGenerator<object, void, undefined>>,
  { clock, stopping, failed }: StreamBodyOptions,
): Promise<Response> {
  const leaving = new AbortController();
  const working = work(AbortSignal.any([leaving.signal, stopping]));
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  using _timer = clock.schedule(QUICK_MS, () => resolve("late"));
  const quick = await Promise.race([working, late]);
  if (quick === "late") return jsonLater(working, leaving);
  if (!isEvents(quick)) return Response.json(quick);
  try {
    // What is wrong with a request shows before its first event.
    const first = await quick.next();
    return eventsOf(first, quick, { clock, leaving, failed });
  } catch (error) {
    return Response.json(failed(error));
  }
}

function isEvents(value: object): value is AsyncGenerator<object, void, undefined> {
  return Symbol.asyncIterator in value;
}

function jsonLater(working: Promise<object>, leaving: AbortController): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(Buffer.from(JSON.stringify(await working)));
      controller.close();
    },
    cancel: () => leaving.abort(new Error("the client is gone")),
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function eventsOf(
  first: IteratorResult<object, void>,
  events: AsyncGenerator<object, void, undefined>,
  { clock, leaving, failed }: Pick<StreamBodyOptions, "clock" | "failed"> & { readonly leaving: AbortController },
): Response {
  let timer: Disposable | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!leaving.signal.aborted) controller.enqueue(Buffer.from(text));
      };
      const keepAlive = (): void => {
        timer = clock.schedule(KEEP_ALIVE_MS, () => {
          write(": \n\n");
          keepAlive();
        });
      };
      const run = async (): Promise<void> => {
        try {
          for (let next = first; next.done !== true; next = await events.next()) write(formatSSEEvent(next.value));
        } catch (error) {
          write(formatSSEErrorEvent(failed(error)));
        }
        timer?.[Symbol.dispose]();
        if (!leaving.signal.aborted) controller.close();
      };
      keepAlive();
      void run();
    },
    cancel() {
      timer?.[Symbol.dispose]();
      leaving.abort(new Error("the client is gone"));
    },
  });
  return new Response(body, { headers: SSE_HEADERS });
}
