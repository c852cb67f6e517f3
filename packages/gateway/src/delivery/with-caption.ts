import { withoutUndefined } from "@factotum/agent-contract";
import type { ChannelCapabilities } from "@factotum/channel-contract";
import { measure } from "@factotum/channel-kit";
import type { NewOutbound } from "@factotum/store";

/**
 * The rows of a text and of its files, in order. A text that the platform can show below its only file is the caption of that file, so that both are one
 * message. One that mentions people or is for one person stays a text, since captions have neither.
 */
export function withCaption(
  texts: readonly NewOutbound[],
  files: readonly NewOutbound[],
  capabilities: ChannelCapabilities | undefined,
): readonly NewOutbound[] {
  const [[text], [file]] = [texts, files];
  const captionLength = capabilities?.limits?.captionLength ?? 0;
  const isOneOfEach = texts.length === 1 && files.length === 1 && text?.outbound.type === "text" && file?.outbound.type === "media";
  if (!isOneOfEach || measure(text.outbound.text, capabilities?.text.unit ?? "utf16") > captionLength) return [...texts, ...files];
  const { text: caption, mentions = [], onlyFor, replyTo } = text.outbound;
  if (mentions.length > 0 || onlyFor !== undefined) return [...texts, ...files];
  const outbound = { ...file.outbound, caption, text: `${caption}\n\n${file.outbound.text}`, ...withoutUndefined({ replyTo }) };
  return [{ ...file, outbound, dueAtMs: text.dueAtMs }];
}
