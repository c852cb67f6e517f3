import type { SpeechModelV4 } from "@ai-sdk/provider";
import { callMedia, mediaError, type MediaConnection, type ProviderSettings } from "./media-connection.ts";

/** A text to be spoken. */
export interface SpeechRequest {
  readonly text: string;
  /** The provider's name of a voice. Default: the provider's own. */
  readonly voice?: string | undefined;
}

const MAX_ANSWER_BYTES = 25 * 1024 * 1024;

/**
 * Speaks a text: Opus in Ogg where the provider has it, otherwise what it has. The bytes are the provider's and may be anything. Loads the provider's SDK with
 * the first call. Rejects with a `ModelError`; nothing is retried.
 */
export async function speakText(
  connection: MediaConnection,
  { text, voice }: SpeechRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { audio } = await callMedia(connection, { signal, maxBytes: MAX_ANSWER_BYTES }, async (settings) => {
    const model = await loadModel(connection, settings);
    // Google has no Opus.
    const outputFormat = connection.api === "google-generative-ai" ? "wav" : "opus";
    return model.doGenerate({ text, outputFormat, abortSignal: signal, ...(voice === undefined ? {} : { voice }) });
  });
  return typeof audio === "string" ? Buffer.from(audio, "base64") : audio;
}

async function loadModel(connection: MediaConnection, settings: ProviderSettings): Promise<SpeechModelV4> {
  const { api, model } = connection;
  switch (api) {
    case "openai-responses":
    case "openai-chat":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).speech(model);
    case "mistral":
      return (await import("@ai-sdk/mistral")).createMistral(settings).speech(model);
    case "google-generative-ai":
      return (await import("@ai-sdk/google")).createGoogle(settings).speech(model);
    case "anthropic-messages":
    case "demo":
      throw mediaError(connection, "invalid-request", "this provider has no models that speak; name another one in messages.tts.provider");
    default:
      return api satisfies never;
  }
}
