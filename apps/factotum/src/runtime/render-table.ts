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

function widthOf(text: string): number {
  return [...new Intl.Segmenter().segment(stripVTControlCharacters(text))].length;
}
