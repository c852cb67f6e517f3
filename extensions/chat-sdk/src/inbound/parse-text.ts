import type { Markdown } from "@factotum/channel-contract";
import type { Adapter, Message } from "chat";
import type { ChatSdk } from "../adapter/load-sdk.ts";

/** Node types of a text without any formatting. */
const PLAIN = new Set(["root", "paragraph", "text", "break"]);

/**
 * The text of a message as Markdown. Some adapters keep the markup in the text; others strip it and keep it in the tree alone. Only then is the tree written as
 * Markdown, so that a text is otherwise exactly what was typed.
 */
export function parseText(
  { text, formatted }: Pick<Message, "text" | "formatted">,
  sdk: Pick<ChatSdk, "stringifyMarkdown" | "toPlainText">,
): Markdown {
  if (!isFormatted(formatted)) return text;
  try {
    return sdk.toPlainText(formatted).trim() === text.trim() ? sdk.stringifyMarkdown(formatted).trimEnd() : text;
  } catch {
    return text;
  }
}

/** The text without the bot's name at its very beginning, which only addresses the message. */
export function withoutAddress(text: Markdown, { botUserId, userName }: Pick<Adapter, "botUserId" | "userName">): Markdown {
  const names = [userName, botUserId].filter((name) => name !== undefined && name !== "").map((name) => RegExp.escape(name ?? ""));
  if (names.length === 0) return text;
  return text.replace(new RegExp(`^<?@(?:${names.join("|")})(?:>|(?![\\w-]))[\\s,:]*`, "i"), "");
}

interface TreeNode {
  readonly type: string;
  readonly children?: readonly TreeNode[];
}

function isFormatted(node: unknown): boolean {
  if (typeof node !== "object" || node === null || !("type" in node)) return false;
  const { type, children = [] } = node as TreeNode;
  return !PLAIN.has(type) || children.some(isFormatted);
}
