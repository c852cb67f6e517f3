import remend from "remend";

/** Off: rules that would render something other than the complete text. */
const OPTIONS = { htmlTags: false, comparisonOperators: false, singleTilde: false, linkMode: "text-only" } as const;

/** Closes unclosed marks at the end of an unfinished text: `**bo` becomes bold at once, `[a](htt` its text, `\(a` a formula. */
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
