import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A page that the fake services know. */
export interface KnownPage {
  readonly title: string;
  readonly url: string;
  readonly text: string;
  readonly age?: string;
}

/** The key that the services with keys accept. */
export const SEARCH_KEY = "search-key-0123456789";

/** Brave, Tavily, SearXNG and DuckDuckGo's page without scripts, in their wire formats, on one loopback server. */
export interface FakeSearchServices extends AsyncDisposable {
  readonly baseUrl: string;
  /** What every query finds. */
  pages: readonly KnownPage[];
  /** Answers every request with this status instead. */
  status: number | undefined;
  /** Answers every request with this body instead. */
  body: string | undefined;
  readonly queries: { readonly path: string; readonly parameters: Readonly<Record<string, string>> }[];
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Starts the services. */
export async function startFakeSearchServices(): Promise<FakeSearchServices> {
  const server = createServer((request, response) => {
    void replyTo(request, services).then(({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const services: FakeSearchServices = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages: [],
    status: undefined,
    body: undefined,
    queries: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return services;
}

async function replyTo(request: IncomingMessage, services: FakeSearchServices): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
  let sent = "";
  for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) sent += part;
  const parameters = Object.fromEntries(
    sent === "" ? searchParams : Object.entries(JSON.parse(sent) as Record<string, unknown>).map(([key, value]) => [key, String(value)]),
  );
  services.queries.push({ path: pathname, parameters });
  if (services.status !== undefined) return json(services.status, { error: "as told" });
  if (services.body !== undefined) return { status: 200, type: "text/html", body: services.body };
  const { pages } = services;
  switch (`${request.method} ${pathname}`) {
    case "GET /res/v1/web/search":
      return request.headers["x-subscription-token"] === SEARCH_KEY
        ? json(200, braveAnswer(pages))
        : json(422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID" } });
    case "POST /search":
      return request.headers.authorization === `Bearer ${SEARCH_KEY}`
        ? json(200, tavilyAnswer(pages))
        : json(401, { detail: { error: "Unauthorized: missing or invalid API key." } });
    case "GET /search":
      return parameters["format"] === "json" ? json(200, searxngAnswer(pages)) : { status: 200, type: "text/html", body: "<html></html>" };
    case "GET /html/":
      return { status: 200, type: "text/html; charset=UTF-8", body: duckDuckGoPage(pages) };
    default:
      return json(404, { error: "no such path" });
  }
}

function json(status: number, body: object): Reply {
  return { status, type: "application/json", body: JSON.stringify(body) };
}

/** Brave escapes HTML in its texts, and leaves `web` out if it finds nothing. */
function braveAnswer(pages: readonly KnownPage[]): object {
  const results = pages.map(({ title, url, text, age }) => ({
    type: "search_result",
    title: escaped(title),
    url,
    description: escaped(text),
    age,
  }));
  return { type: "search", query: { original: "q" }, ...(results.length === 0 ? {} : { web: { type: "search", results } }) };
}

function tavilyAnswer(pages: readonly KnownPage[]): object {
  return {
    query: "q",
    answer: null,
    images: [],
    results: pages.map(({ title, url, text, age }) => ({ title, url, content: text, score: 0.9, raw_content: null, published_date: age })),
    response_time: 0.5,
  };
}

function searxngAnswer(pages: readonly KnownPage[]): object {
  return {
    query: "q",
    number_of_results: pages.length,
    results: pages.map(({ title, url, text, age }) => ({
      title,
      url,
      content: text,
      publishedDate: age ?? null,
      engine: "duckduckgo",
      score: 1,
    })),
    answers: [],
    suggestions: [],
    unresponsive_engines: [],
  };
}

function duckDuckGoPage(pages: readonly KnownPage[]): string {
  const ad = `<div class="result results_links result--ad"><h2 class="result__title"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=ads.example">An ad</a></h2><a class="result__snippet">Buy</a></div>`;
  const results = pages.map(
    ({ title, url, text }) =>
      `<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=0f">${escaped(title)}</a></h2><a class="result__snippet" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}">${escaped(text)}</a></div></div>`,
  );
  const body = pages.length === 0 ? '<div class="no-results">No results.</div>' : ad + results.join("");
  return `<!DOCTYPE html><html><head><title>q at DuckDuckGo</title></head><body><div id="links" class="results">${body}</div></body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#x27;");
}
