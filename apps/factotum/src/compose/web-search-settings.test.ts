import { describeKey, type FactotumConfig } from "@factotum/config";
import { SEARCH_PROVIDERS } from "@factotum/tools";
import { expect, test } from "vitest";
import { webSearchNotices, webSearchProblem, webSearchSettings } from "./web-search-settings.ts";

type Search = FactotumConfig["tools"]["web"]["search"];

/** Only the settings of the search are read. */
const config = (search: Search) => ({ tools: { web: { search } } }) as unknown as Pick<FactotumConfig, "tools">;
const literal = (value: string) => ({ type: "literal", value }) as const;

test.each([
  ["nothing", {}, {}, "duckduckgo"],
  ["Brave's variable", {}, { BRAVE_API_KEY: "b" }, "brave"],
  ["Tavily's variable", {}, { TAVILY_API_KEY: "t" }, "tavily"],
  ["both variables", {}, { BRAVE_API_KEY: "b", TAVILY_API_KEY: "t" }, "brave"],
  ["an empty variable", {}, { BRAVE_API_KEY: " " }, "duckduckgo"],
  ["a provider and another one's variable", { provider: "tavily" }, { BRAVE_API_KEY: "b" }, "tavily"],
  ["a key without a provider", { apiKey: literal("x") }, {}, "duckduckgo"],
] as const)("with %s, the service is chosen", (_name, search, env, provider) => {
  expect(webSearchSettings(config(search), env).provider).toBe(provider);
});

test("the configuration knows the services that there are", () => {
  expect(describeKey("tools.web.search.provider", [])?.schema).toMatchObject([{ enum: Object.keys(SEARCH_PROVIDERS) }]);
});

test("the configured key has precedence over the environment; one without a provider is not used", async () => {
  const env = { BRAVE_API_KEY: "from-environment" };
  const key = async (search: Search) => webSearchSettings(config(search), env).readKey();
  expect(await key({ provider: "brave", apiKey: literal("configured") })).toEqual({ type: "resolved", value: "configured" });
  expect(await key({ provider: "brave" })).toEqual({ type: "resolved", value: "from-environment" });
  expect(await key({ apiKey: literal("configured") })).toEqual({ type: "resolved", value: "from-environment" });
  expect(await key({ provider: "tavily" })).toMatchObject({
    type: "unresolved",
    message: expect.stringContaining("TAVILY_API_KEY") as string,
  });
});

test("an address without a provider is not used", () => {
  const baseUrl = "http://127.0.0.1:1";
  expect(webSearchSettings(config({ baseUrl }), { BRAVE_API_KEY: "b" }).baseUrl).toBeUndefined();
  expect(webSearchSettings(config({ provider: "brave", baseUrl }), {}).baseUrl).toBe(baseUrl);
});

test("a missing key is a problem of services that need one, and a notice of the start", async () => {
  expect(await webSearchProblem(config({}), {})).toBeUndefined();
  expect(await webSearchProblem(config({ provider: "searxng", baseUrl: "http://127.0.0.1:1" }), {})).toBeUndefined();
  expect(await webSearchProblem(config({ provider: "brave", apiKey: literal("k") }), {})).toBeUndefined();
  const missing = config({ provider: "brave", apiKey: { type: "env", name: "NOT_SET" } });
  expect(await webSearchProblem(missing, {})).toMatch(/no key for Brave: .*NOT_SET is not set/);
  expect(await webSearchNotices(missing, {})).toMatchObject([{ type: "notice", path: "tools.web.search" }]);
  // It is run when the key is needed.
  expect(await webSearchNotices(config({ provider: "brave", apiKey: { type: "exec", command: ["false"] } }), {})).toEqual([]);
});
