import { withoutUndefined } from "@factotum/agent-contract";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { cleanDocument, refreshTarget } from "./clean-document.ts";
import type { PageFormat, PageText } from "./page-job.ts";
import { plainText, tidy } from "./plain-text.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** Shorter articles are a caption or a notice of a page whose content is something else. */
const MIN_ARTICLE_CHARS = 200;

/** The main text of a page; the whole of it if it has no article. */
export function readArticle(html: string, { url, format }: { readonly url: string; readonly format: PageFormat }): PageText {
  const { document, name } = open(html, url);
  const refresh = refreshTarget(document, url);
  const article = new Readability(document, { keepClasses: true, charThreshold: MIN_ARTICLE_CHARS }).parse();
  const isArticle = (article?.textContent ?? "").trim().length >= MIN_ARTICLE_CHARS;
  // Readability has taken the document apart.
  const { body } = open(isArticle ? `<body>${article?.content ?? ""}</body>` : html, url).document;
  const text = format === "markdown" ? renderMarkdown(body) : plainText(body.innerHTML).text;
  const title = tidy((article?.title ?? "").trim() === "" ? name : (article?.title ?? "")).replaceAll("\n", " ");
  return { title, text, ...withoutUndefined({ refresh }) };
}

function open(html: string, url: string): { readonly document: Document; readonly name: string } {
  // A fragment without these elements would become a document without a body.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`);
  const name = document.querySelector("title")?.textContent ?? "";
  cleanDocument(document, url);
  return { document, name };
}
