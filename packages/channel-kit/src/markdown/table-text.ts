import type { CellAlign } from "./piece.ts";

/** Characters that take two columns of a monospaced font. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
/** Characters that take none. */
const NARROW = /[\p{Mark}\p{Format}]/u;

/** A table as text for a monospaced font: columns padded to their widest cell, a line below the head. Lines end without white space. */
export function tableText(rows: readonly (readonly string[])[], columns: readonly CellAlign[]): string {
  const widths = columns.map((_, index) => rows.reduce((width, row) => Math.max(width, widthOf(row[index] ?? "")), 1));
  const lines = rows.map((row) =>
    columns
      .map((align, index) => pad(row[index] ?? "", { width: widths[index] ?? 0, align }))
      .join(" | ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("\n");
}

function pad(text: string, { width, align }: { readonly width: number; readonly align: CellAlign }): string {
  const free = width - widthOf(text);
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(free - before);
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
