import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { Usage } from "@factotum/agent-contract";
import { countedTokens, createUsage } from "../usage.ts";
import { callMedia, mediaError } from "./media-connection.ts";
import type { MediaConnection, ProviderSettings } from "./media-connection.ts";

/** Texts to be embedded, and the dimensions of their vectors; the model's own if omitted. */
export interface EmbeddingRequest {
  readonly texts: readonly string[];
  readonly dimensions?: number;
}

/** One vector for each text, in the same order. */
export interface TextEmbeddings {
  readonly vectors: readonly (readonly number[])[];
  /** Zero if the provider counts no tokens. */
  readonly usage: Usage;
}

/** Bytes of one answer: 2,048 vectors of 3,072 numbers. */
const MAX_ANSWER_BYTES = 160 * 1024 * 1024;

/**
 * Embeds texts, in as many requests as the provider needs. Loads the provider's SDK with the first call. Rejects with a `ModelError`; nothing is retried.
 */
export async function embedTexts(
  connection: MediaConnection,
  { texts, dimensions }: EmbeddingRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<TextEmbeddings> {
  return callMedia(connection, { signal, maxBytes: MAX_ANSWER_BYTES }, async (settings) => {
    const model = await loadModel(connection, settings);
    const size = (await model.maxEmbeddingsPerCall) ?? texts.length;
    const vectors: (readonly number[])[] = [];
    let tokens = 0;
    for (let from = 0; from < texts.length; from += size) {
      const values = texts.slice(from, from + size);
      const result = await model.doEmbed({ values, abortSignal: signal, ...withoutUndefined({ dimensions }) });
      if (result.embeddings.length !== values.length)
        throw mediaError(connection, "truncated", `it sent ${result.embeddings.length} vectors for ${values.length} texts`);
      vectors.push(...result.embeddings);
      tokens += countedTokens(result.usage?.tokens) ?? 0;
    }
    return { vectors, usage: usageOf(tokens, connection) };
  });
}

async function loadModel(connection: MediaConnection, settings: ProviderSettings): Promise<EmbeddingModelV4> {
  const { api, model } = connection;
  switch (api) {
    case "openai-responses":
    case "openai-chat":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).embeddingModel(model);
    case "mistral":
      return (await import("@ai-sdk/mistral")).createMistral(settings).embeddingModel(model);
    case "google-generative-ai":
      return (await import("@ai-sdk/google")).createGoogle(settings).embeddingModel(model);
    case "anthropic-messages":
    case "demo":
      throw mediaError(
        connection,
        "invalid-request",
        "this provider has no models that embed texts; name another one in models.embedding, or in memory.embeddings.model",
      );
    default:
      return api satisfies never;
  }
}

function usageOf(input: number, { cost }: MediaConnection): Usage {
  return input === 0 ? NO_USAGE : createUsage({ input, output: 0, cacheRead: 0, cacheWrite: 0 }, { cost, retention: "none" });
}
