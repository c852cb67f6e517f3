import { expect, test } from "vitest";
import { WebSchema } from "./web.ts";

const parse = (web: unknown) => WebSchema.safeParse(web);

test("needs nothing", () => {
  expect(parse(undefined).data).toEqual({ search: {}, fetch: { maxBytes: 2_000_000, allowPrivate: [] } });
});

test.each([
  "nas",
  "nas.lan",
  "nas-2.lan:8080",
  "192.168.1.10",
  "192.168.1.10:80",
  "192.168.1.0/24",
  "fd00::1",
  "[fd00::1]",
  "[fd00::1]:80",
  "fd00::/8",
  "::1",
])("%s is a private place", (place) => {
  expect(parse({ fetch: { allowPrivate: [place] } }).success).toBe(true);
});

test.each([
  "",
  "*",
  "*.lan",
  "http://nas.lan",
  "nas.lan/path",
  "nas.lan.",
  "-nas",
  "nas lan",
  "user@nas",
  "192.168.1",
  "192.168.1.300",
  "192.168.1.0/33",
  "192.168.1.0/",
  "192.168.1.0/24/1",
  "nas.lan/24",
  "nas:0",
  "nas:70000",
  "[nas]:80",
  "[fd00::1]:",
  "fd00::/129",
])("%j is not accepted as a private place", (place) => {
  expect(parse({ fetch: { allowPrivate: [place] } }).error?.issues[0]?.message).toContain(
    "a host name, an address or a network is expected",
  );
});

test("SearXNG needs an address, the others do not", () => {
  expect(parse({ search: { provider: "searxng" } }).error?.issues).toMatchObject([
    { path: ["search", "baseUrl"], message: expect.stringContaining("SearXNG has no address of its own") as string },
  ]);
  expect(parse({ search: { provider: "searxng", baseUrl: "http://127.0.0.1:8888" } }).success).toBe(true);
  expect(parse({ search: { provider: "brave", apiKey: { env: "KEY" } } }).success).toBe(true);
  // One key is set after the other.
  expect(parse({ search: { baseUrl: "http://127.0.0.1:8888" } }).success).toBe(true);
  expect(parse({ search: { apiKey: "literal" } }).success).toBe(true);
});

test.each([
  { search: { provider: "altavista" } },
  { search: { baseUrl: "ftp://a.example" } },
  { search: { apikey: "x" } },
  { fetch: { maxBytes: 1 } },
  { fetch: { maxBytes: 100_000_000 } },
  { fetch: { allowPrivate: "nas.lan" } },
  { browse: {} },
])("refuses %j", (web) => {
  expect(parse(web).success).toBe(false);
});
