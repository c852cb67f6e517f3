const FENCE = /^\s{0,3}(```|~~~)/;
/** Headings, rules, and lines with only a comment or an image. */
const NO_PROSE = /^\s*(#{1,6}(\s|$)|([-*_=]\s*){3,}$|<!--.*-->\s*$|!\[[^\]]*\]\([^)]*\)\s*$)/;

/** The first paragraph of a Markdown text that is neither heading, rule nor code; empty if there is none. */
export function firstParagraph(markdown: string): string {
  const paragraph: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const isProse = mark === undefined && fence === undefined && line.trim() !== "" && !NO_PROSE.test(line);
    if (isProse) paragraph.push(line.trim());
    else if (paragraph.length > 0) break;
  }
  return paragraph.join(" ");
}
