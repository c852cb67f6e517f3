import { Tokenizer } from "htmlparser2";
import type { PageText } from "./page-job.ts";

/** Elements whose content is not text for a reader. */
const SKIPPED: ReadonlySet<string> = new Set(["script", "style", "template", "svg", "noscript", "iframe", "object"]);
/** Elements within a line. All others break it. */
const INLINE: ReadonlySet<string> = new Set(
  "a abbr b bdi bdo cite code data dfn em font i ins del kbd label mark q s samp small span strong sub sup time u var wbr".split(" "),
);

/** The text of HTML, in one pass without a tree: linear, however deep the elements are nested. */
export function plainText(html: string): PageText {
  const pieces: string[] = [];
  let title = "";
  let element = "";
  let skipped: string | undefined;
  const add = (text: string): void => {
    if (skipped !== undefined) return;
    if (element === "title") title += text;
    else pieces.push(text);
  };
  const breakLine = (name: string): void => void (INLINE.has(name) || add("\n"));
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => add(html.slice(start, end).replaceAll(/\s+/g, " ")),
      ontextentity: (codePoint) => add(String.fromCodePoint(codePoint)),
      onopentagname: (start, end) => {
        element = html.slice(start, end).toLowerCase();
        breakLine(element);
        if (SKIPPED.has(element)) skipped ??= element;
      },
      onclosetag: (start, end) => {
        const name = html.slice(start, end).toLowerCase();
        if (skipped === name) skipped = undefined;
        if (element === name) element = "";
        breakLine(name);
      },
      onattribdata: ignore,
      onattribentity: ignore,
      onattribend: ignore,
      onattribname: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { title: tidy(title).replaceAll("\n", " "), text: tidy(pieces.join("")) };
}

/** Without the spaces and empty lines that the source has for its own sake. */
export function tidy(text: string): string {
  return text
    .replaceAll(/[ \t\u00a0]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
