import { PLUGIN_LIMITS, type PluginObject } from "@factotum/plugin";
import type { HostedPlugin } from "./hosted-plugin.ts";
import { PluginError } from "./plugin-error.ts";

/** What of a request counts. `checkBody` takes each piece of the answer, and returns an error to end it. */
export interface ModelFetchInit {
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
  readonly checkBody?: ((bytes: Uint8Array) => Error | undefined) | undefined;
}

/** Read like the status of an answer: a provider that is not there now. */
const UNAVAILABLE = 503;

/**
 * Answers a request of OpenAI's Chat Completions API with the models of a plugin, as a stream of events. Pieces are asked for as they are read. What fails is an
 * error event, whose `code` is a status and whose message has no secrets.
 */
export function fetchModels(
  plugin: HostedPlugin,
  { body, signal, checkBody }: ModelFetchInit,
  hideSecrets: (text: string) => string,
): Response {
  const request = JSON.parse(String(body)) as PluginObject;
  const left = new AbortController();
  const given = signal ?? left.signal;
  const chunks: { readonly value: unknown; readonly more: () => void }[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  const call = plugin.call(
    { type: "model", request },
    {
      timeoutMs: PLUGIN_LIMITS.modelMs,
      signal: AbortSignal.any([given, left.signal]),
      // A provider that refuses is no fault of the plugin's; whoever asks models lets one rest that fails.
      isOwnFailure: false,
      onChunk: (value, more) => {
        chunks.push({ value, more });
        wake();
      },
    },
  );
  const settle = (result: typeof end): void => {
    end = result;
    wake();
  };
  call.then(
    () => settle({}),
    (error: unknown) => settle({ error }),
  );
  const events = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        while (chunks.length === 0 && end === undefined) await new Promise<void>((resolve) => (wake = resolve));
        const chunk = chunks.shift();
        if (chunk === undefined && given.aborted) return controller.error(given.reason);
        const bytes = encode(chunk?.value ?? lastEvent(end?.error, hideSecrets));
        const failure = checkBody?.(bytes);
        if (failure !== undefined) {
          left.abort();
          return controller.error(failure);
        }
        controller.enqueue(bytes);
        if (chunk === undefined) controller.close();
        else chunk.more();
      },
      cancel: () => left.abort(),
    },
    { highWaterMark: 0 },
  );
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}

function encode(event: unknown): Uint8Array {
  return new TextEncoder().encode(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
}

function lastEvent(error: unknown, hideSecrets: (text: string) => string): unknown {
  return error === undefined ? "[DONE]" : { error: toModelFailure(error, hideSecrets) };
}

/** Why a plugin did not answer, without secrets, with the status of its own error; 503 if it could not answer at all. */
export function toModelFailure(
  error: unknown,
  hideSecrets: (text: string) => string,
): { readonly message: string; readonly code: number | null } {
  const { message, status } = PluginError.isInstance(error) ? error : { message: "it failed" };
  const isRefusal = PluginError.isInstance(error) && error.code === "failed";
  return { message: hideSecrets(message), code: isRefusal ? (status ?? null) : UNAVAILABLE };
}
