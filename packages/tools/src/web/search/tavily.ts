import { withoutUndefined } from "@factotum/agent-contract";
import { z } from "zod";
import { askService, parseJson, unreadable } from "./ask-service.ts";
import type { SearchProvider } from "./search-provider.ts";

const AnswerSchema = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string(), published_date: z.string().nullish() })),
});
const REFUSED = "the key is refused. Check tools.web.search.apiKey.";
const USED_UP = "the plan of the key is used up. Wait for the next month, or change the plan.";
const STATUSES = { 401: REFUSED, 403: REFUSED, 429: "the limit of the key is reached. Try again later.", 432: USED_UP, 433: USED_UP };

/** Tavily, by its search API. */
export const tavily: SearchProvider = {
  label: "Tavily",
  baseUrl: "https://api.tavily.com/",
  keyVariable: "TAVILY_API_KEY",
  async search({ query, count, freshness }, connection, { signal }) {
    const body = JSON.stringify({ query, max_results: count, search_depth: "basic", ...withoutUndefined({ time_range: freshness }) });
    const headers = { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${connection.key}` };
    const answer = await askService(tavily, { path: "search", method: "POST", headers, body }, connection, { signal, statuses: STATUSES });
    if (answer.type === "failed") return answer;
    const parsed = AnswerSchema.safeParse(parseJson(answer.bytes));
    if (!parsed.success) return unreadable(tavily);
    const results = parsed.data.results.map(({ title, url, content, published_date: published }) => ({
      title,
      url,
      snippet: content,
      ...withoutUndefined({ age: published ?? undefined }),
    }));
    return { type: "found", results };
  },
};
