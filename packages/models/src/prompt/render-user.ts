import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ImageContent, TextContent } from "@factotum/agent-contract";
import type { RenderContext } from "./render-context.ts";

/** Replaces an image if the model accepts none. */
export const NO_IMAGES_NOTE = "[image left out: this model reads text only]";

/** Replaces a message that has nothing left to send; providers refuse empty ones. */
const EMPTY_MESSAGE = "(empty message)";

/** The parts of a user message: text unchanged, blank text dropped, images if the model accepts them. Never empty. */
export function renderUserParts(
  content: readonly (TextContent | ImageContent)[],
  context: Pick<RenderContext, "info" | "clean">,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const parts = content.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: context.clean(part.text) }];
    return [context.info.input.includes("image") ? renderImage(part) : { type: "text", text: NO_IMAGES_NOTE }];
  });
  return parts.length === 0 ? [{ type: "text", text: EMPTY_MESSAGE }] : parts;
}

/** An image in the SDK's shape. */
export function renderImage(
  image: ImageContent,
): LanguageModelV4FilePart & { readonly data: { readonly type: "data"; readonly data: string } } {
  return { type: "file", mediaType: image.mimeType, data: { type: "data", data: image.data } };
}
