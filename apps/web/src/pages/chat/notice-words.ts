import type { NoticeBlock } from "@factotum/protocol";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { plainText } from "../../markdown/plain-text.ts";

/** A notice of the gateway as plain text in the language of the page, a line for each part. */
export function noticeWords({ text, blocks }: { readonly text: string; readonly blocks?: readonly NoticeBlock[] | undefined }): string {
  return blocks === undefined ? gatewayText(text) : blocks.flatMap(linesOf).join("\n");
}

function linesOf(block: NoticeBlock): readonly string[] {
  switch (block.type) {
    case "text":
      return [gatewayText(block.text)];
    case "quote":
      return [plainText(block.text)];
    case "list":
      return block.items.map(gatewayText);
    case "rows":
      return block.rows.map(({ name, text }) => t("{name}: {value}", { name: gatewayText(name), value: gatewayText(text) }));
  }
}
