import { askService, failed, unreadable } from "./ask-service.ts";
import type { SearchProvider } from "./search-provider.ts";

const FRESHNESS = { day: "d", week: "w", month: "m", year: "y" };
const BLOCKED =
  "it takes this machine for a robot. Try again later; if it lasts, use a service with a key, or a SearXNG of your own, in tools.web.search.provider.";
const STATUSES = { 202: BLOCKED, 403: BLOCKED, 418: BLOCKED, 429: BLOCKED };

/** DuckDuckGo, by its page without scripts. Needs no key, and limits its clients. */
export const duckduckgo: SearchProvider = {
  label: "DuckDuckGo",
  baseUrl: "https://html.duckduckgo.com/",
  async search({ query, freshness }, connection, { signal }) {
    const parameters = { q: query, ...(freshness === undefined ? {} : { df: FRESHNESS[freshness] }) };
    const headers = { accept: "text/html", "user-agent": "Mozilla/5.0 (compatible; factotum)" };
    const answer = await askService(duckduckgo, { path: "html/", parameters, headers }, connection, { signal, statuses: STATUSES });
    if (answer.type === "failed") return answer;
    const page = await connection.pages.readDuckDuckGo(answer.bytes, { signal });
    switch (page.type) {
      case "results":
        return { type: "found", results: page.results };
      case "blocked":
        return failed(`DuckDuckGo: ${BLOCKED}`);
      case "unknown":
        return unreadable(duckduckgo);
    }
  },
};
