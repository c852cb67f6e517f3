import { messageId } from "@factotum/channel-contract";
import type { MessageId } from "@factotum/channel-contract";
import { outsideCode } from "./outside-code.ts";

/** What an assistant's final text asks for, typed. The tokens are parsed here and nowhere else (R5). */
export type ParsedReply =
  /** The whole text was the silent token: nothing is shown. */
  { readonly type: "silent" } | { readonly type: "visible"; readonly text: string; readonly replyTo: ReplyTarget };

/** Which message a reply answers, on channels that can show it. */
type ReplyTarget = { readonly type: "none" } | { readonly type: "current" } | { readonly type: "message"; readonly id: MessageId };

const SILENT_TOKENS: ReadonlySet<string> = new Set(["NO_REPLY", "__SILENT__"]);
const REPLY_TAG = /\[\[\s*reply_to(?:_current|\s*:\s*([^\]\s]*))\s*\]\]/gi;
const VOICE_TAG = /\[\[\s*audio_as_voice\s*\]\]/gi;

/**
 * Parses the text that a run ended with. Silence counts only as the whole message, in any case; a reply tag only as the first token (design 04). Tags
 * inside code, fenced or inline, are text.
 */
export function parseReply(text: string): ParsedReply {
  const trimmed = text.trim();
  if (SILENT_TOKENS.has(trimmed.toUpperCase())) return { type: "silent" };
  const leading = /^\[\[\s*reply_to(?:_current|\s*:\s*([^\]\s]*))\s*\]\]/i.exec(trimmed);
  const stripped = outsideCode(trimmed, (part) => part.replaceAll(REPLY_TAG, "").replaceAll(VOICE_TAG, "")).trim();
  if (SILENT_TOKENS.has(stripped.toUpperCase())) return { type: "silent" };
  return { type: "visible", text: stripped, replyTo: leading === null ? { type: "none" } : replyTarget(leading[1]) };
}

function replyTarget(id: string | undefined): ReplyTarget {
  if (id === undefined) return { type: "current" };
  return id === "" ? { type: "none" } : { type: "message", id: messageId(id) };
}
