import { withoutUndefined } from "@factotum/agent-contract";
import { z } from "zod";
import { askService, parseJson, unreadable } from "./ask-service.ts";
import type { SearchProvider } from "./search-provider.ts";

const AnswerSchema = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          description: z.string().optional(),
          age: z.string().optional(),
          page_age: z.string().optional(),
        }),
      ),
    })
    .optional(),
});
const FRESHNESS = { day: "pd", week: "pw", month: "pm", year: "py" };
const REFUSED = "the key is refused. Check tools.web.search.apiKey.";
const STATUSES = {
  401: REFUSED,
  403: REFUSED,
  // Its status for an unknown token.
  422: `${REFUSED} Or the query is one that it does not take.`,
  402: "the plan of the key is used up. Wait for the next month, or change the plan.",
  429: "the limit of the key is reached. Try again later, or change the plan.",
};

/** Brave Search, by its web search API. */
export const brave: SearchProvider = {
  label: "Brave",
  baseUrl: "https://api.search.brave.com/",
  keyVariable: "BRAVE_API_KEY",
  async search({ query, count, freshness }, connection, { signal }) {
    const parameters = {
      q: query,
      count: String(count),
      text_decorations: "false",
      ...(freshness === undefined ? {} : { freshness: FRESHNESS[freshness] }),
    };
    const headers = { accept: "application/json", "x-subscription-token": connection.key };
    const answer = await askService(brave, { path: "res/v1/web/search", parameters, headers }, connection, { signal, statuses: STATUSES });
    if (answer.type === "failed") return answer;
    const parsed = AnswerSchema.safeParse(parseJson(answer.bytes));
    if (!parsed.success) return unreadable(brave);
    const { decodeHTML } = await import("entities");
    const plain = (html: string): string => decodeHTML(html.replaceAll(/<[^<>]{0,200}>/g, ""));
    const results = (parsed.data.web?.results ?? []).map(({ title, url, description = "", age, page_age: pageAge }) => ({
      title: plain(title),
      url,
      snippet: plain(description),
      ...withoutUndefined({ age: age ?? pageAge }),
    }));
    return { type: "found", results };
  },
};
