import type { NoticeBlock } from "@factotum/protocol";

/** The answer of a command: plain text, or text with structure. A line break in plain text starts a line everywhere. */
export type CommandAnswer = string | readonly NoticeBlock[];

/** The blocks of an answer; none for a single line of plain text. */
export function noticeBlocks(answer: CommandAnswer): { readonly blocks?: readonly NoticeBlock[] } {
  if (typeof answer !== "string") return { blocks: answer };
  const lines = answer.split("\n");
  return lines.length === 1 ? {} : { blocks: lines.map((text) => ({ type: "text", text })) };
}

/** The answer as plain text, for chats, logs and clients that show no structure. */
export function renderNoticeText(answer: CommandAnswer): string {
  return typeof answer === "string" ? answer : answer.flatMap(blockLines).join("\n");
}

function blockLines(block: NoticeBlock): readonly string[] {
  switch (block.type) {
    case "text":
    case "quote":
      return [block.text];
    case "list":
      return block.items.map((item) => `- ${item}`);
    case "rows":
      return block.rows.map(({ name, text }) => `${name}: ${text}`);
  }
}
