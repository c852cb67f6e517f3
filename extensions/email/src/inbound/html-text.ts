import { loadHtmlToText } from "../load-libraries.ts";

/** A larger HTML is cut: converting takes many times its size in memory. */
const MAX_HTML = 512 * 1024;
const MAX_DEPTH = 60;

/** The text of an HTML part: paragraphs, lists, quotes and tables by their signs, addresses of links behind their text. Nothing is loaded. */
export async function htmlText(html: string): Promise<string> {
  const convert = await loadHtmlToText();
  return convert(html.slice(0, MAX_HTML), {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH, maxChildNodes: 5_000, maxInputLength: MAX_HTML },
    selectors: [
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: "img", format: "skip" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "table", options: { uppercaseHeaderCells: false } },
    ],
  });
}
