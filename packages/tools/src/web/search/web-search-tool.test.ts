import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FAKE_CLOCK_START, fakeClock, webAccess, type FakeClock } from "../../../test/web-rig.ts";
import { SEARCH_KEY, startFakeSearchServices, type FakeSearchServices } from "../../../test/fake-search-services.ts";
import { createToolRig, textOf, type ToolRig } from "../../../test/tool-rig.ts";
import type { PageReader } from "../page/page-reader.ts";
import type { SearchSettings } from "./search-settings.ts";
import { createWebSearchTool } from "./web-search-tool.ts";

let rig: ToolRig;
let services: FakeSearchServices;
let pages: PageReader | undefined;
let clock: FakeClock;

beforeEach(async () => {
  rig = await createToolRig();
  services = await startFakeSearchServices();
  services.pages = [
    { title: "Tea & biscuits", url: "https://tea.example/a?x=1&y=2", text: "How to <make> it, it's easy", age: "2 days ago" },
    { title: "Coffee", url: "https://coffee.example/", text: "Black" },
  ];
  clock = fakeClock(FAKE_CLOCK_START);
});
afterEach(async () => {
  await pages?.close();
  pages = undefined;
  await services[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

function search(args: Parameters<ToolRig["call"]>[1], settings: Partial<SearchSettings> = {}, tool = toolWith(settings)) {
  return rig.call(tool, args);
}

function toolWith(settings: Partial<SearchSettings>): ReturnType<typeof createWebSearchTool> {
  const readKey = async () => ({ type: "resolved", value: SEARCH_KEY }) as const;
  const web = webAccess({ clock, search: { provider: "searxng", baseUrl: services.baseUrl, readKey, ...settings } });
  ({ pages } = web);
  return createWebSearchTool({ web });
}

describe.each(["brave", "tavily", "searxng", "duckduckgo"] as const)("%s", (provider) => {
  test("returns title, address, age and extract, without markup", async () => {
    const result = await search({ query: "tea" }, { provider });
    const age = provider === "duckduckgo" ? "" : "2 days ago: ";
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toBe(
      `1. Tea & biscuits\nhttps://tea.example/a?x=1&y=2\n${age}How to <make> it, it's easy\n\n2. Coffee\nhttps://coffee.example/\nBlack`,
    );
  });

  test("passes the query and its freshness", async () => {
    await search({ query: "tea & 茶", freshness: "week", count: 7 }, { provider });
    const [asked] = services.queries;
    const { q = "", query = q } = asked?.parameters ?? {};
    expect(query).toBe("tea & 茶");
    const names = { brave: "freshness", tavily: "time_range", searxng: "time_range", duckduckgo: "df" };
    const values = { brave: "pw", tavily: "week", searxng: "week", duckduckgo: "w" };
    expect(asked?.parameters[names[provider]]).toBe(values[provider]);
    await search({ query: "tea" }, { provider });
    expect(services.queries[1]?.parameters).not.toHaveProperty(names[provider]);
  });

  test("says so if nothing is found, if the limit is reached, and if the answer is something else", async () => {
    services.pages = [];
    const nothing = await search({ query: "tea" }, { provider });
    expect(nothing.isError).toBeUndefined();
    expect(textOf(nothing)).toContain("Nothing was found");
    services.status = 429;
    const limited = await search({ query: "tea" }, { provider });
    expect(limited.isError).toBe(true);
    expect(textOf(limited)).toMatch(/Try again later/);
    services.status = 500;
    expect(textOf(await search({ query: "tea" }, { provider }))).toMatch(/answered 500.*tools\.web\.search\.provider/);
    services.status = undefined;
    services.body = "<html><body>Welcome to the hotel's network</body></html>";
    expect(textOf(await search({ query: "tea" }, { provider }))).toMatch(/no list of results/);
  });

  test("says so if it is down", async () => {
    const { baseUrl } = services;
    await services[Symbol.asyncDispose]();
    const result = await search({ query: "tea" }, { provider, baseUrl });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/cannot be reached.*ECONNREFUSED/);
    services = await startFakeSearchServices();
  });
});

test.each(["brave", "tavily"] as const)("%s needs a key that it accepts", async (provider) => {
  const missing = await search({ query: "tea" }, { provider, readKey: async () => ({ type: "unresolved", message: "the file is empty" }) });
  expect(missing.isError).toBe(true);
  expect(textOf(missing)).toMatch(new RegExp(`needs a key: the file is empty.*${provider.toUpperCase()}_API_KEY.*duckduckgo`));
  expect(services.queries).toEqual([]);
  const wrong = await search({ query: "tea" }, { provider, readKey: async () => ({ type: "resolved", value: "wrong" }) });
  expect(wrong.isError).toBe(true);
  expect(textOf(wrong)).toContain("the key is refused");
  expect(textOf(wrong)).not.toContain("wrong.");
});

test("SearXNG without JSON and without an address says what to set", async () => {
  services.status = 403;
  expect(textOf(await search({ query: "tea" }))).toContain("search.formats");
  expect(textOf(await search({ query: "tea" }, { baseUrl: undefined }))).toContain("tools.web.search.baseUrl");
});

test("DuckDuckGo's question for a person is an error that names other services", async () => {
  services.body =
    '<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>';
  const blocked = await search({ query: "tea" }, { provider: "duckduckgo" });
  expect(blocked.isError).toBe(true);
  expect(textOf(blocked)).toContain("takes this machine for a robot");
});

test("a service of the owner may be private, but leads to no other private place", async () => {
  services.body = undefined;
  expect((await search({ query: "tea" })).isError).toBeUndefined();
  const other = await startFakeSearchServices();
  await using _other = other;
  const redirecting = await startRedirect(`${other.baseUrl}/search`);
  await using _redirecting = redirecting;
  const result = await search({ query: "tea" }, { baseUrl: redirecting.baseUrl });
  expect(textOf(result)).toContain("not on the open internet");
  expect(other.queries).toEqual([]);
});

test("limits and cleans results", async () => {
  services.pages = [
    { title: `a\nb${"x".repeat(1_000)}`, url: "https://a.example/", text: "y".repeat(5_000) },
    { title: "script", url: "javascript:alert(1)", text: "no web address" },
    { title: "long", url: `https://b.example/${"z".repeat(3_000)}`, text: "too long an address" },
    ...Array.from({ length: 20 }, (_, index) => ({ title: `page ${index}`, url: `https://c.example/${index}`, text: "" })),
  ];
  const text = textOf(await search({ query: "tea", count: 3 }));
  expect(text.split("\n\n")).toHaveLength(3);
  expect(text).toContain("1. a bxxx");
  expect(text).toContain("3. page 1\nhttps://c.example/1");
  expect(text).not.toMatch(/javascript:|b\.example/);
  expect(text.length).toBeLessThan(1_200);
});

test("repeats an answer for 15 minutes, by query, count and freshness", async () => {
  const tool = toolWith({});
  const first = textOf(await search({ query: "tea" }, {}, tool));
  services.pages = [];
  clock.advance(15 * 60_000 - 1);
  expect(textOf(await search({ query: " tea " }, {}, tool))).toBe(first);
  expect(services.queries).toHaveLength(1);
  for (const other of [{ query: "tea", count: 4 }, { query: "tea", freshness: "day" }, { query: "teas" }]) await search(other, {}, tool);
  expect(services.queries).toHaveLength(4);
  clock.advance(1);
  expect(textOf(await search({ query: "tea" }, {}, tool))).toContain("Nothing was found");
  // Nothing and failures are asked for again.
  services.status = 500;
  expect((await search({ query: "tea" }, {}, tool)).isError).toBe(true);
  expect(services.queries).toHaveLength(6);
});

test("remembers at most 32 answers, the newest", async () => {
  const tool = toolWith({});
  for (let index = 0; index < 33; index += 1) await search({ query: `query ${index}` }, {}, tool);
  await search({ query: "query 1" }, {}, tool);
  expect(services.queries).toHaveLength(33);
  await search({ query: "query 0" }, {}, tool);
  expect(services.queries).toHaveLength(34);
});

test.each([
  { query: "" },
  { query: "  " },
  { query: "x".repeat(401) },
  { query: "x", count: 0 },
  { query: "x", count: 11 },
  { query: "x", freshness: "century" },
  {},
])("refuses %j", async (args) => {
  expect((await search(args)).isError).toBe(true);
  expect(services.queries).toEqual([]);
});

async function startRedirect(location: string): Promise<{ readonly baseUrl: string } & AsyncDisposable> {
  const { createServer } = await import("node:http");
  const server = createServer((_request, response) => void response.writeHead(302, { location }).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
