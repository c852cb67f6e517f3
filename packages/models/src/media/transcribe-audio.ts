import type { TranscriptionModelV4 } from "@ai-sdk/provider";
import { NO_USAGE, type Usage } from "@factotum/agent-contract";
import { countedTokens, createUsage } from "../usage.ts";
import { callMedia, mediaError, type MediaConnection, type ProviderSettings } from "./media-connection.ts";

/** A recording to be transcribed. */
export interface AudioInput {
  readonly bytes: Uint8Array;
  /** Without parameters. */
  readonly mimeType: string;
}

/** What was said in a recording. */
export interface AudioTranscript {
  /** Trimmed; empty if nothing was said. */
  readonly text: string;
  /** Zero for a model that is not priced by tokens. */
  readonly usage: Usage;
}

/** Characters of an answer, words and their times included. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Transcribes one recording. Loads the provider's SDK with the first call. Rejects with a `ModelError`; nothing is retried. */
export async function transcribeAudio(
  connection: MediaConnection,
  { bytes, mimeType }: AudioInput,
  { signal }: { readonly signal: AbortSignal },
): Promise<AudioTranscript> {
  const result = await callMedia(connection, { signal, maxBytes: MAX_ANSWER_BYTES }, async (settings) => {
    const model = await loadModel(connection, settings);
    return model.doGenerate({ audio: bytes, mediaType: mimeType, abortSignal: signal });
  });
  return { text: result.text.trim(), usage: usageOf(result.usage, connection) };
}

async function loadModel(connection: MediaConnection, settings: ProviderSettings): Promise<TranscriptionModelV4> {
  const { api, model } = connection;
  switch (api) {
    case "openai-responses":
    case "openai-chat":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).transcription(model);
    case "mistral":
      return (await import("@ai-sdk/mistral")).createMistral(settings).transcription(model);
    case "google-generative-ai":
      return (await import("@ai-sdk/google")).createGoogle(settings).transcription(model);
    case "anthropic-messages":
    case "demo":
      throw mediaError(
        connection,
        "invalid-request",
        "this provider has no models that transcribe; name another one in models.transcription",
      );
    default:
      return api satisfies never;
  }
}

/** The vendors' own names of the counts. */
function usageOf(reported: unknown, { cost }: MediaConnection): Usage {
  const counts = (typeof reported === "object" && reported !== null ? reported : {}) as Readonly<Record<string, unknown>>;
  const [input, output] = [
    tokens(counts["input_tokens"] ?? counts["prompt_tokens"]),
    tokens(counts["output_tokens"] ?? counts["completion_tokens"]),
  ];
  return input === 0 && output === 0 ? NO_USAGE : createUsage({ input, output, cacheRead: 0, cacheWrite: 0 }, { cost, retention: "none" });
}

function tokens(value: unknown): number {
  return typeof value === "number" ? (countedTokens(value) ?? 0) : 0;
}
