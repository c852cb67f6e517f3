import { checkCard } from "./card-rules.ts";
import { FeishuRefusal } from "./refusal.ts";

const TYPES = ["text", "post", "image", "file", "audio", "media", "sticker", "interactive", "share_chat", "share_user"];
const POST_TAGS = ["text", "a", "at", "img", "media", "emotion", "md", "code_block", "hr"];
const MAX_BYTES: Readonly<Record<string, number>> = { text: 150 * 1024, post: 30 * 1024, interactive: 30 * 1024 };

/** Validates the body of a send, reply or edit. Throws the refusal that the platform would answer. */
export function checkContent(body: Readonly<Record<string, unknown>>, bytes: number): { messageType: string; content: unknown } {
  const { msg_type: messageType, content } = body;
  if (typeof messageType !== "string" || !TYPES.includes(messageType)) throw invalid("invalid msg_type");
  if (typeof content !== "string") throw invalid("content is not a string");
  if (bytes > (MAX_BYTES[messageType] ?? Number.POSITIVE_INFINITY))
    throw new FeishuRefusal(230025, "The length of the message content reaches its limit.");
  const parsed = parse(content);
  if (messageType === "text" && (typeof parsed["text"] !== "string" || parsed["text"] === "")) throw invalid("text is empty");
  if (messageType === "post") checkPost(parsed);
  if (messageType === "interactive" && parsed["type"] !== "card") checkCard(parsed);
  if (["image", "file", "audio", "media"].includes(messageType) && typeof (parsed["image_key"] ?? parsed["file_key"]) !== "string")
    throw invalid("key is missing");
  return { messageType, content: parsed };
}

/** Validates the uuid of a body. */
export function checkUuid(body: Readonly<Record<string, unknown>>): string | undefined {
  const { uuid } = body;
  if (uuid === undefined || uuid === "") return undefined;
  if (typeof uuid !== "string" || uuid.length > 50) throw invalid("the length of uuid is over 50");
  return uuid;
}

/** A refusal of a parameter. */
export function invalid(detail: string): FeishuRefusal {
  return new FeishuRefusal(230001, `Your request contains an invalid request parameter, ext=${detail}.`);
}

function checkPost(post: Readonly<Record<string, unknown>>): void {
  const locales = Object.entries(post);
  if (locales.length === 0 || !locales.every(([locale]) => /^[a-z]{2}_[a-z]{2}$/.test(locale))) throw invalid("post has no locale");
  for (const [, locale] of locales) {
    const paragraphs = (locale as { content?: unknown }).content;
    if (!Array.isArray(paragraphs) || paragraphs.length === 0) throw invalid("post has no content");
    for (const paragraph of paragraphs as unknown[]) checkParagraph(paragraph);
  }
}

function checkParagraph(paragraph: unknown): void {
  if (!Array.isArray(paragraph)) throw invalid("paragraph is not a list");
  for (const element of paragraph as Record<string, unknown>[]) {
    if (typeof element["tag"] !== "string" || !POST_TAGS.includes(element["tag"])) throw invalid(`unknown tag ${String(element["tag"])}`);
    if (element["tag"] === "md" && (paragraph.length !== 1 || typeof element["text"] !== "string" || element["text"] === ""))
      throw invalid("md stands alone");
    // An image needs the key of an uploaded file: an address is refused.
    if (element["tag"] === "md" && /!\[[^\]]*\]\(https?:/.test(String(element["text"]))) throw invalid("invalid image keys");
  }
}

function parse(content: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(content);
    if (typeof parsed === "object" && parsed !== null) return parsed as Record<string, unknown>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw invalid("content is not a string in json format");
}
