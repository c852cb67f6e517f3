import { expect, test } from "vitest";
import { matchRoutes } from "./match-routes.ts";

const ROUTES = [
  { method: "GET", path: "/*" },
  { method: "GET", path: "/files/*" },
  { method: "POST", path: "/files/*" },
  { method: "POST", path: "/files/index" },
  { method: "GET", path: "/" },
];

test.each([
  ["/", ["GET /"]],
  ["/other", ["GET /*"]],
  ["/files", ["GET /*"]],
  ["/files/", ["GET /files/*", "POST /files/*"]],
  ["/files/a/b", ["GET /files/*", "POST /files/*"]],
  ["/filesystem", ["GET /*"]],
  // The narrower path decides, although only the wider one has GET.
  ["/files/index", ["POST /files/index"]],
  ["/files/index/", ["GET /files/*", "POST /files/*"]],
])("%s is served by %j", (path, names) => {
  for (const routes of [ROUTES, ROUTES.toReversed()])
    expect(
      matchRoutes(routes, path)
        .map((route) => `${route.method} ${route.path}`)
        .toSorted(),
    ).toEqual(names);
});

test("nothing serves a path that no pattern covers", () => {
  expect(matchRoutes(ROUTES.slice(1), "/other")).toEqual([]);
  // A literal asterisk in a path is no pattern of others.
  expect(matchRoutes([{ path: "/a" }], "/*")).toEqual([]);
});
