import type { Markdown } from "@factotum/channel-contract";

type Style = "bold" | "italic" | "struck" | "code";

const TOGGLES: Readonly<Record<string, Style>> = { "\u0002": "bold", "\u001d": "italic", "\u001e": "struck", "\u0011": "code" };
const MARKS: Readonly<Record<Style, string>> = { bold: "**", italic: "*", struck: "~~", code: "`" };

/** Bytes of colours: numbers behind 3, hexadecimal digits behind 4. */
const COLOURS: Readonly<Record<string, RegExp>> = { "\u0003": /^\d{1,2}(?:,\d{1,2})?/, "\u0004": /^[\da-f]{6}(?:,[\da-f]{6})?/i };
const RESET = "\u000f";

/** Converts the formatting codes of a line to Markdown, and removes every other control character. What people type as Markdown stays. */
export function parseFormatting(text: string): Markdown {
  const active = new Set<Style>();
  let result = "";
  for (const { 0: code, index } of `${RESET}${text}`.matchAll(/\p{Cc}/gu)) {
    const style = TOGGLES[code];
    if (code === RESET) active.clear();
    else if (style !== undefined && !active.delete(style)) active.add(style);
    const [run = ""] = /^\P{Cc}*/u.exec(text.slice(index)) ?? [];
    const colour = COLOURS[code]?.exec(run)?.[0] ?? "";
    result += mark(code === "\t" ? ` ${run}` : run.slice(colour.length), active);
  }
  return result;
}

/** The text in its styles, with the marks next to its words. */
function mark(run: string, styles: ReadonlySet<Style>): string {
  const words = run.trim();
  if (words === "" || styles.size === 0) return run;
  // Inside of code marks everything is literal, so they are the innermost.
  const inner = styles.has("code") && !words.includes("`") ? [MARKS.code] : [];
  const marks = [...[...styles].filter((style) => style !== "code").map((style) => MARKS[style]), ...inner];
  const start = run.indexOf(words);
  return `${run.slice(0, start)}${marks.join("")}${words}${marks.toReversed().join("")}${run.slice(start + words.length)}`;
}
