import { stripVTControlCharacters } from "node:util";

/** Renders rows as columns under their headings, each as wide as its widest value, two blanks between them. Ends with a line break. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => widthOf(row[column] ?? ""))));
  const lines = table.map((row) =>
    headings
      .map((_, column) => {
        const value = row[column] ?? "";
        return value + " ".repeat((widths[column] ?? 0) - widthOf(value));
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** What a terminal shows in two cells: East Asian letters, their punctuation and full-width forms, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

function widthOf(text: string): number {
  const characters = [...new Intl.Segmenter().segment(stripVTControlCharacters(text))];
  return characters.reduce((width, { segment }) => width + (WIDE.test(segment) ? 2 : 1), 0);
}
