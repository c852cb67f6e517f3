/** A text in which each mark is again the secret that it stands for, or the first line, from 1, with a mark of which that cannot be said. */
export type RestoredMarks = { readonly type: "text"; readonly text: string } | { readonly type: "mark"; readonly line: number };

/** What a text holds, and as it was shown, with marks for its secrets. */
export interface ShownText {
  readonly text: string;
  readonly shown: string;
  readonly mark: string;
}

/** Why a text with such a mark is refused, and what to do. */
export function unknownMark(line: number): string {
  return `Line ${line} has the mark of a hidden secret that cannot be told. Leave such lines as they are, or remove all of them.`;
}

/** Gives the unchanged lines of an edited text the secrets back that marks stand for. Lines that were shown alike get theirs in order, if none of them is gone. */
export function restoreMarks(edited: string, { text, shown, mark }: ShownText): RestoredMarks {
  if (edited === shown) return { type: "text", text };
  const [originals, shownLines, lines] = [text.split("\n"), shown.split("\n"), edited.split("\n")];
  const hidden = new Map<string, string[]>();
  // A secret of several lines has one mark: its lines cannot be told from others.
  if (originals.length === shownLines.length)
    for (const [index, line] of shownLines.entries())
      if (line.includes(mark)) hidden.set(line, [...(hidden.get(line) ?? []), originals[index] ?? ""]);
  const restored: string[] = [];
  for (const [index, line] of lines.entries()) {
    const known = hidden.get(line) ?? [];
    const isCertain = new Set(known).size === 1 || known.length === lines.filter((other) => other === line).length;
    if (line.includes(mark) && (known.length === 0 || !isCertain)) return { type: "mark", line: index + 1 };
    const before = lines.slice(0, index).filter((other) => other === line).length;
    restored.push(known[before] ?? known[0] ?? line);
  }
  return { type: "text", text: restored.join("\n") };
}
