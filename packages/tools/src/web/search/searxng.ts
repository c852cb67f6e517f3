import { withoutUndefined } from "@factotum/agent-contract";
import { z } from "zod";
import { askService, parseJson, unreadable } from "./ask-service.ts";
import type { SearchProvider } from "./search-provider.ts";

const AnswerSchema = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().nullish(), publishedDate: z.string().nullish() })),
});
const STATUSES = {
  403: "it does not answer in JSON. Add json to search.formats in its settings.yml.",
  429: "it limits its clients. Try again later, or turn its limiter off for this one.",
};

/** SearXNG, a search engine of one's own. */
export const searxng: SearchProvider = {
  label: "SearXNG",
  async search({ query, freshness }, connection, { signal }) {
    const parameters = { q: query, format: "json", ...withoutUndefined({ time_range: freshness }) };
    const request = { path: "search", parameters, headers: { accept: "application/json" } };
    const answer = await askService(searxng, request, connection, { signal, statuses: STATUSES });
    if (answer.type === "failed") return answer;
    const parsed = AnswerSchema.safeParse(parseJson(answer.bytes));
    if (!parsed.success) return unreadable(searxng);
    const results = parsed.data.results.map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      snippet: content ?? "",
      ...withoutUndefined({ age: publishedDate ?? undefined }),
    }));
    return { type: "found", results };
  },
};
