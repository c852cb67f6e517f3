import { PLUGIN_LIMITS, type PluginObject } from "@factotum/plugin";
import { toModelFailure, type ModelFetchInit } from "./fetch-models.ts";
import type { HostedPlugin } from "./hosted-plugin.ts";

/**
 * Answers a request of OpenAI's Embeddings API with the models of a plugin: it gets the body of the request, and each piece that it yields is the vector of one text,
 * in order. What fails is an error with the status of the plugin's own, or 503 if its process could not answer.
 */
export async function fetchEmbeddings(
  plugin: HostedPlugin,
  { body, signal, checkBody }: ModelFetchInit,
  hideSecrets: (text: string) => string,
): Promise<Response> {
  const request = JSON.parse(String(body)) as PluginObject;
  const left = new AbortController();
  const data: object[] = [];
  let tooLarge: Error | undefined;
  try {
    await plugin.call(
      { type: "model", request },
      {
        timeoutMs: PLUGIN_LIMITS.modelMs,
        signal: signal === null || signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
        isOwnFailure: false,
        onChunk: (value, more) => {
          tooLarge ??= checkBody?.(new TextEncoder().encode(JSON.stringify(value)));
          if (tooLarge !== undefined) return left.abort();
          data.push({ object: "embedding", index: data.length, embedding: vectorOf(value) });
          return more();
        },
      },
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (tooLarge !== undefined) throw tooLarge;
    const failure = toModelFailure(error, hideSecrets);
    return Response.json({ error: failure }, { status: failure.code ?? 500 });
  }
  return Response.json({ object: "list", data, model: request["model"] });
}

function vectorOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "embedding" in value ? value.embedding : undefined;
}
