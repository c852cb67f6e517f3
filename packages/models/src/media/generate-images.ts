import type { ImageModelV4 } from "@ai-sdk/provider";
import type { ModelApi, Usage } from "@factotum/agent-contract";
import { countedTokens, createUsage } from "../usage.ts";
import { imageShape } from "./image-shape.ts";
import { callMedia, mediaError, type MediaConnection, type ProviderSettings } from "./media-connection.ts";

/** Images that a model is to make. */
export interface ImageRequest {
  readonly prompt: string;
  /** At least 1. A model that makes fewer at once gives as many as it can. */
  readonly count: number;
  /** `WIDTHxHEIGHT` in pixels or an aspect such as `3:2`. Default: the provider's own. */
  readonly size?: string | undefined;
  /** Images to change or to combine; empty for new ones. */
  readonly inputs: readonly { readonly bytes: Uint8Array; readonly mimeType: string }[];
}

/** What one request has made. */
export interface GeneratedImages {
  /** At least one. The bytes are the provider's and may be anything. */
  readonly images: readonly Uint8Array[];
  /** Zero where the provider counts no tokens. */
  readonly usage: Usage;
}

/** Four large images as base64. */
const MAX_ANSWER_BYTES = 96 * 1024 * 1024;

const OTHER_MODEL = "name another one in models.imageGeneration";

/** Why no image can be made with a model, as far as its name tells; `undefined` if nothing is known against it. */
export function imageModelProblem({ api, model }: { readonly api: ModelApi; readonly model: string }): string | undefined {
  switch (api) {
    case "openai-responses":
    case "openai-chat":
      return undefined;
    case "google-generative-ai":
      return model.startsWith("gemini-") ? undefined : `only Google's models that begin with gemini- make images here; ${OTHER_MODEL}`;
    case "anthropic-messages":
    case "mistral":
    case "demo":
      return `this provider has no models that make images; ${OTHER_MODEL}`;
    default:
      return api satisfies never;
  }
}

/**
 * Makes images with one request. Loads the provider's SDK with the first call. Rejects with a `ModelError`: `filtered` if the provider's policy refuses the
 * description or the images. Nothing is retried.
 */
export async function generateImages(
  connection: MediaConnection,
  { prompt, count, size, inputs }: ImageRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<GeneratedImages> {
  const problem = imageModelProblem(connection);
  if (problem !== undefined) throw mediaError(connection, "invalid-request", problem);
  const result = await callMedia(connection, { signal, maxBytes: MAX_ANSWER_BYTES }, async (settings) => {
    const model = await loadModel(connection, settings);
    if (inputs.length > 0 && model.supportsFileInputs === false)
      throw mediaError(connection, "invalid-request", `this model changes no images: leave them out, or ${OTHER_MODEL}`);
    const most = typeof model.maxImagesPerCall === "number" ? model.maxImagesPerCall : 1;
    return model.doGenerate({
      prompt,
      n: Math.min(count, most),
      size: undefined,
      aspectRatio: undefined,
      ...imageShape(connection, size),
      seed: undefined,
      files: inputs.length === 0 ? undefined : inputs.map(({ bytes, mimeType }) => ({ type: "file", data: bytes, mediaType: mimeType })),
      mask: undefined,
      abortSignal: signal,
      providerOptions: {},
    });
  });
  if (result.images.length === 0) throw noImage(connection, result.providerMetadata);
  const images = result.images.map((image) => (typeof image === "string" ? Buffer.from(image, "base64") : image));
  const [input, output] = [tokens(result.usage?.inputTokens), tokens(result.usage?.outputTokens)];
  return { images, usage: createUsage({ input, output, cacheRead: 0, cacheWrite: 0 }, { cost: connection.cost, retention: "none" }) };
}

function tokens(reported: number | undefined): number {
  return countedTokens(reported) ?? 0;
}

async function loadModel({ api, model }: MediaConnection, settings: ProviderSettings): Promise<ImageModelV4> {
  if (api === "google-generative-ai") return (await import("@ai-sdk/google")).createGoogle(settings).image(model);
  return (await import("@ai-sdk/openai")).createOpenAI(settings).image(model);
}

/** Google's reasons for an answer without an image that are its policy; others are a model that answered with words. */
const POLICY = /SAFETY|PROHIBITED|BLOCKLIST|RECITATION|SPII/;

function noImage(connection: MediaConnection, metadata: unknown): Error {
  const reason = finishReason(metadata);
  const said = `it made no image${reason === undefined ? "" : ` (${reason})`}; describe another one`;
  return mediaError(connection, reason !== undefined && POLICY.test(reason) ? "filtered" : "truncated", said);
}

function finishReason(metadata: unknown): string | undefined {
  const google = (metadata as { readonly google?: { readonly finishReason?: unknown } } | undefined)?.google;
  return typeof google?.finishReason === "string" ? google.finishReason : undefined;
}
