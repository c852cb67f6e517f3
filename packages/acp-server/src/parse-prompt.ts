import { RequestError } from "@agentclientprotocol/sdk";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { MAX_CHAT_ATTACHMENTS } from "@factotum/protocol";

/** The gateway takes no longer message. */
const MAX_CHARS = 500_000;

/** What a client says in a prompt. */
export interface Prompt {
  readonly text: string;
  /** Bytes of images, in their order. */
  readonly images: readonly Uint8Array[];
}

/**
 * The message that the blocks of a prompt make. A linked file is named, for the assistant to read; one that is embedded is quoted, so that it is not taken for the
 * person's own words. Throws a `RequestError` for what is not advertised, for nothing, for more than 500,000 characters or 20 images, and for a command with
 * images.
 */
export function parsePrompt(blocks: readonly ContentBlock[]): Prompt {
  const text = blocks.map(textOf).join("").trim();
  const images = blocks.flatMap((block) => (block.type === "image" ? [Buffer.from(block.data, "base64")] : []));
  if (text === "" && images.length === 0) throw RequestError.invalidParams({ reason: "empty" }, "The prompt is empty.");
  if (images.length > MAX_CHAT_ATTACHMENTS)
    throw RequestError.invalidParams({ reason: "too-large" }, `A prompt has at most ${MAX_CHAT_ATTACHMENTS} images.`);
  if (images.length > 0 && text.startsWith("/"))
    throw RequestError.invalidParams(
      { reason: "unsupported-content" },
      "A slash command takes no images. Send them in a prompt of their own.",
    );
  if (text.length <= MAX_CHARS) return { text, images };
  const advice = `The prompt has ${text.length} characters, and ${MAX_CHARS} are allowed. Link large files instead of embedding them.`;
  throw RequestError.invalidParams({ reason: "too-large" }, advice);
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return ` ${placeOf(block.uri)} `;
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) throw unsupported("embedded binary resource");
      const fence = "`".repeat(Math.max(3, ...[...resource.text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      return `\n\n${placeOf(resource.uri)}:\n${fence}\n${resource.text}\n${fence}\n\n`;
    }
    case "image":
      return "";
    case "audio":
      throw unsupported("audio");
  }
}

function unsupported(what: string): RequestError {
  return RequestError.invalidParams({ reason: "unsupported-content" }, `This agent takes no ${what} in prompts. Name the file instead.`);
}

/** A file by its path, anything else by its address. */
function placeOf(uri: string): string {
  if (!uri.startsWith("file://") || !URL.canParse(uri)) return uri;
  const { pathname, hash } = new URL(uri);
  try {
    return decodeURIComponent(pathname) + hash;
  } catch (error) {
    // A stray percent sign.
    if (error instanceof URIError) return uri;
    throw error;
  }
}
