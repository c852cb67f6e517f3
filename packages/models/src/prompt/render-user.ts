import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ImageContent, TextContent } from "@factotum/agent-contract";
import type { RenderContext } from "./render-context.ts";

/** Stands for an image where the model takes none. */
export const NO_IMAGES_NOTE = "[image left out: this model reads text only]";

/** Stands for a message in which nothing is left to send; providers refuse empty ones. */
const EMPTY_MESSAGE = "(empty message)";

/** The parts of a user's message: text as it is, blank text dropped, images where the model takes them. Never empty. */
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
