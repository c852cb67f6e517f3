import { parseHTML } from "linkedom";
import type { FoundPage, SearchPage } from "./page-job.ts";
import { tidy } from "./plain-text.ts";

/** Reads DuckDuckGo's result page without scripts. Advertisements are left out. */
export function readDuckDuckGo(html: string): SearchPage {
  const { document } = parseHTML(html);
  const results = [...document.querySelectorAll(".result")].flatMap((result): FoundPage[] => {
    if (result.classList.contains("result--ad")) return [];
    const link = result.querySelector("a.result__a");
    const url = targetOf(link?.getAttribute("href") ?? "");
    if (link === null || url === undefined) return [];
    return [{ title: lineOf(link), url, snippet: lineOf(result.querySelector(".result__snippet")) }];
  });
  if (results.length > 0) return { type: "results", results };
  if (document.querySelector(".anomaly-modal__title, #challenge-form, form[action*='anomaly']") !== null) return { type: "blocked" };
  return document.querySelector(".no-results, .result--no-result, #links") === null ? { type: "unknown" } : { type: "results", results };
}

/** Results lead through a redirect of DuckDuckGo's own, which names the address. */
function targetOf(href: string): string | undefined {
  const link = URL.parse(href, "https://duckduckgo.com/");
  if (link === null) return undefined;
  const isOwn = /(^|\.)duckduckgo\.com$/.test(link.hostname);
  const target = isOwn ? URL.parse(link.searchParams.get("uddg") ?? "") : link;
  return target !== null && /^https?:$/.test(target.protocol) ? target.href : undefined;
}

function lineOf(element: Element | null): string {
  return tidy(element?.textContent ?? "").replaceAll("\n", " ");
}
