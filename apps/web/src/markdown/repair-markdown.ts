import remend from "remend";

/** Off is what would show something else than the complete text does. */
const OPTIONS = { htmlTags: false, comparisonOperators: false, singleTilde: false, linkMode: "text-only" } as const;

/** Closes what is open at the end of a text that is being written: `**bo` is bold at once, `[a](htt` is its words, `\(a` a formula. */
export function repairMarkdown(text: string): string {
  return closeFormula(remend(text, OPTIONS));
}

/** Only in the last paragraph: an opening bracket before an empty line is text. */
function closeFormula(text: string): string {
  const start = text.lastIndexOf("\n\n") + 1;
  const opening = text.lastIndexOf("\\(");
  if (opening < start || text.indexOf("\\)", opening) !== -1) return text;
  return (text.slice(start, opening).split("`").length - 1) % 2 === 1 ? text : `${text}\\)`;
}
