import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ImageContent } from "@factotum/agent-contract";

/** Replaces an image if the model accepts none. */
export const NO_IMAGES_NOTE = "[image left out: this model reads text only]";

/** An image in the SDK's shape. */
export function renderImage(
  image: ImageContent,
): LanguageModelV4FilePart & { readonly data: { readonly type: "data"; readonly data: string } } {
  return { type: "file", mediaType: image.mimeType, data: { type: "data", data: image.data } };
}
