import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../../define-tool/define-tool.ts";
import { errorResult, textResult } from "../../define-tool/tool-result.ts";
import { NO_PRIVATE_PLACES, type AllowsPrivate } from "../../public-fetch/private-places.ts";
import type { FoundPage } from "../page/page-job.ts";
import type { WebAccess } from "../web-access.ts";
import { failed } from "./ask-service.ts";
import { SearchCache } from "./search-cache.ts";
import { FRESHNESS } from "./search-provider.ts";
import type { SearchConnection, SearchOutcome, SearchQuery } from "./search-provider.ts";
import { SEARCH_PROVIDERS } from "./search-providers.ts";

const MAX_COUNT = 10;
const MAX_URL_CHARS = 2_000;

const WebSearchSchema = z.strictObject({
  query: z.string().trim().min(1).max(400),
  count: z.int().min(1).max(MAX_COUNT).optional().describe("Default 5"),
  freshness: z.enum(FRESHNESS).optional().describe("Not older than"),
});

/** Searches the web through the configured service. */
export function createWebSearchTool({ web }: { readonly web: WebAccess }): AgentTool {
  let cache: SearchCache | undefined;
  return defineTool({
    name: "web_search",
    summary: "Search the web",
    description: "Returns title, address and an extract of each result; read a page with web_fetch.",
    schema: WebSearchSchema,
    traits: { effect: "read", idempotent: true, output: "untrusted", network: true, parallel: true },
    async execute({ query, count = 5, freshness }, { signal }) {
      cache ??= new SearchCache(web.clock);
      const wanted: SearchQuery = { query, count, freshness };
      const kept = cache.get(wanted);
      if (kept !== undefined) return showResults(kept);
      const outcome = await search(wanted, web, signal);
      if (outcome.type === "failed") return errorResult(outcome.message);
      const results = outcome.results
        .filter(({ url }) => isWebAddress(url))
        .slice(0, count)
        .map(shorten);
      if (results.length === 0) return textResult("Nothing was found. Try other words.", { details: { results: [] } });
      cache.set(wanted, results);
      return showResults(results);
    },
  });
}

function showResults(results: readonly FoundPage[]): AgentToolResult {
  return textResult(results.map(renderResult).join("\n\n"), { details: { results: results.map((result) => ({ ...result })) } });
}

async function search(query: SearchQuery, web: WebAccess, signal: AbortSignal): Promise<SearchOutcome> {
  const { provider: name, baseUrl, readKey } = web.search;
  const provider = SEARCH_PROVIDERS[name];
  const address = baseUrl ?? provider.baseUrl;
  if (address === undefined)
    return failed(
      `${provider.label} has no address. The owner has to set it: factotum config set tools.web.search.baseUrl https://ADDRESS`,
    );
  const key = provider.keyVariable === undefined ? undefined : await readKey();
  if (key?.type === "unresolved")
    return failed(
      `${provider.label} needs a key: ${key.message}. The owner has to set tools.web.search.apiKey or ${provider.keyVariable ?? ""}, or choose a service without a key: factotum config set tools.web.search.provider duckduckgo`,
    );
  const connection: SearchConnection = {
    request: web.request,
    pages: web.pages,
    baseUrl: address.endsWith("/") ? address : `${address}/`,
    allowsPrivate: baseUrl === undefined ? NO_PRIVATE_PLACES : onlyPlaceOf(baseUrl),
    key: key?.value ?? "",
  };
  return provider.search(query, connection, { signal });
}

/** The owner's own service may be on a private network; a redirect of it may not lead to another place there. */
function onlyPlaceOf(baseUrl: string): AllowsPrivate {
  const { hostname, port, protocol } = new URL(baseUrl);
  const own = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
  return (target) => target.host === own.host && target.port === own.port;
}

function isWebAddress(url: string): boolean {
  return url.length <= MAX_URL_CHARS && /^https?:$/.test(URL.parse(url)?.protocol ?? "");
}

function shorten({ title, url, snippet, age }: FoundPage): FoundPage {
  const line = (text: string, maxChars: number): string => text.replaceAll(/\s+/g, " ").trim().slice(0, maxChars).toWellFormed();
  return { title: line(title, 300), url, snippet: line(snippet, 600), ...(age === undefined ? {} : { age: line(age, 60) }) };
}

function renderResult({ title, url, snippet, age }: FoundPage, index: number): string {
  const extract = [age, snippet].filter((part) => part !== undefined && part !== "").join(": ");
  return [`${index + 1}. ${title}`, url, extract].filter((line) => line !== "").join("\n");
}
