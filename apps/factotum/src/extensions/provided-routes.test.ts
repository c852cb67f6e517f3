import { expect, test } from "vitest";
import { parseManifest, type ManifestReading } from "./manifest.ts";
import { addedParts, describePart, partOf, type Provided } from "./provided-types.ts";

const report = { method: "GET", path: "/report" };
const hook = { method: "POST", path: "/hook", public: true };

function read(routes: unknown, more: readonly object[] = []): ManifestReading {
  const provides = [{ type: "routes", id: "site", entry: "./index.mjs", routes }, ...more];
  return parseManifest({ name: "site", version: "1.0.0", factotum: { api: 1, provides } });
}

function provided(routes: readonly object[]): readonly Provided[] {
  const reading = read(routes);
  if (reading.type !== "manifest") throw new Error("not a manifest");
  return reading.manifest.provides;
}

test("reads routes, which are the owner's by default", () => {
  const all = [report, hook, { method: "PUT", path: "/" }, { method: "PATCH", path: "/*" }, { method: "DELETE", path: "/a.b/c_d-~/*" }];
  expect(provided(all)).toMatchObject([{ type: "routes", routes: all.map((route) => ({ public: false, ...route })) }]);
  expect(provided([report, hook]).map((one) => describePart(partOf(one)))).toEqual(["routes of site (GET /report, public POST /hook)"]);
});

const REFUSED: readonly (readonly [routes: unknown, problem: string])[] = [
  ["/report", "routes: a list is expected"],
  [[], "routes: the list is empty"],
  [[report, report], "routes: a method and a path are listed twice"],
  [[report, { ...report, public: true }], "routes: a method and a path are listed twice"],
  [Array.from({ length: 51 }, (_, index) => ({ method: "GET", path: `/${index}` })), "routes: at most 50 routes"],
  [[{ ...report, method: "HEAD" }], "routes[0].method: one of GET, POST, PUT, PATCH, DELETE"],
  [[{ ...report, method: "get" }], "routes[0].method: one of GET"],
  [[{ ...report, public: "yes" }], "routes[0].public: true or false"],
  [[{ ...report, path: 7 }], "routes[0].path: a text"],
  ...["", "report", "/report/", "//x", "/a b", "/a\n", "/%61", "/a?b", "/:id", "/a*", "/*/a", "/a/**", "/grüße", "/\u001B[2K"].map(
    (path) => [[{ ...report, path }], "routes[0].path: a path such as"] as const,
  ),
  [[{ ...report, path: "/../v1" }], "routes[0].path: a path has no parts"],
  [[{ ...report, path: "/./a" }], "routes[0].path: a path has no parts"],
  [[{ ...report, path: `/${"a".repeat(200)}` }], "routes[0].path: at most 200"],
];

test.each(REFUSED)("refuses the routes %j", (routes, problem) => {
  expect(read(routes)).toMatchObject({ type: "invalid", problems: [expect.stringContaining(problem) as string] });
});

test("refuses two entries of one plugin, and one with another entry", () => {
  const other = { type: "routes", id: "site", entry: "./index.mjs", routes: [report] };
  expect(read([report], [other])).toMatchObject({ problems: ["factotum.provides: the plugin site has two entries of the type routes"] });
  const models = { type: "memory", id: "site", entry: "./other.mjs" };
  expect(read([report], [models])).toMatchObject({
    problems: ["factotum.provides: the entries of the plugin site differ in entry or configSchema"],
  });
});

test.each([
  ["the same", [report, hook], []],
  ["fewer", [report], []],
  ["one that is no longer public", [report, { ...hook, public: false }], []],
  ["one that becomes public", [{ ...report, public: true }, hook], ["public GET /report"]],
  ["another method", [report, hook, { ...report, method: "POST" }], ["POST /report"]],
  ["another path", [{ ...report, path: "/*" }, hook], ["GET /*"]],
])("an update asks about routes that are new or public and were not: %s", (_name, after, added) => {
  expect(addedParts(provided([report, hook]), provided(after))).toEqual(
    added.length === 0 ? [] : [{ type: "routes", id: "site", routes: added }],
  );
});

test("an update asks about the routes of another plugin, and of a package that had none", () => {
  const parts = provided([report]);
  const others = parts.map((part) => ({ ...part, id: "other" })) as readonly Provided[];
  expect(addedParts(others, parts)).toEqual([{ type: "routes", id: "site", routes: ["GET /report"] }]);
  expect(addedParts([], parts)).toHaveLength(1);
});
