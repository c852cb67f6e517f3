import { chunkMarkdown, measure } from "@factotum/channel-kit";
import type { Adapter } from "chat";
import type { ChatSdk } from "../adapter/load-sdk.ts";

/** Parts are not made smaller than this to fit. */
const MIN_PART_LENGTH = 100;

/** The length of Markdown as the adapter will render it, in UTF-16 units; what it cannot render counts as it is. */
export function renderedLength(markdown: string, adapter: Pick<Adapter, "renderFormatted">, sdk: Pick<ChatSdk, "parseMarkdown">): number {
  try {
    return Math.max(measure(adapter.renderFormatted(sdk.parseMarkdown(markdown)), "utf16"), markdown.length);
  } catch {
    return markdown.length;
  }
}

/** Markdown as messages that are within the limit after the adapter has rendered them, which would cut longer ones. */
export function renderParts(
  markdown: string,
  { maxLength, lengthOf }: { readonly maxLength: number; readonly lengthOf: (part: string) => number },
): readonly string[] {
  for (let size = maxLength; ; size = Math.floor(size / 2)) {
    const parts = chunkMarkdown(markdown, { maxLength: size }).map(({ text }) => text);
    if (size <= MIN_PART_LENGTH || parts.every((part) => lengthOf(part) <= maxLength)) return parts;
  }
}
