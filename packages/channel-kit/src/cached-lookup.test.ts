import { getEventListeners } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import type { TestHost } from "../test/test-host.ts";
import { createCachedLookup } from "./index.ts";
import type { CachedLookup, LookupFailure } from "./index.ts";

const MINUTE_MS = 60_000;
const { signal } = new AbortController();

class Failure extends Error {
  readonly failure: LookupFailure;

  constructor(failure: Partial<LookupFailure>) {
    super("no");
    this.failure = { code: "forbidden", retry: { type: "never" }, message: "no", ...failure };
  }
}

let host: TestHost;
let names: CachedLookup<string>;
let asked: string[];
let failure: Failure | undefined;

beforeEach(() => {
  host = createTestHost();
  asked = [];
  failure = undefined;
  names = createCachedLookup({
    what: "names",
    scope: "names:read",
    advice: (scope) => `grant it ${scope}`,
    ttlMs: 60 * MINUTE_MS,
    maxEntries: 2,
    ask: (key) => {
      asked.push(key);
      return failure === undefined ? Promise.resolve(`name of ${key}`) : Promise.reject(failure);
    },
    failureOf: (error) => (error as Failure).failure,
    host,
    signal,
  });
});

test("callers share one query, which is repeated when the value has expired or is older than the caller wants", async () => {
  const all = await Promise.all(["a", "a", "a"].map(async (key) => names.get(key, { signal })));
  expect(all).toEqual(["name of a", "name of a", "name of a"]);
  host.clock.advance(60 * MINUTE_MS - 1);
  await names.get("a", { signal });
  expect(asked).toEqual(["a"]);
  await names.get("a", { signal, maxAgeMs: MINUTE_MS });
  host.clock.advance(60 * MINUTE_MS);
  await names.get("a", { signal });
  expect(asked).toEqual(["a", "a", "a"]);
});

test("keeps the newest entries alone", async () => {
  for (const key of ["a", "b", "c", "b", "a"]) await names.get(key, { signal });
  expect(asked).toEqual(["a", "b", "c", "a"]);
});

test("a failed key is queried again after a minute", async () => {
  failure = new Failure({ code: "not-found" });
  expect(await names.get("a", { signal })).toBeUndefined();
  failure = undefined;
  host.clock.advance(MINUTE_MS - 1);
  expect(await names.get("a", { signal })).toBeUndefined();
  host.clock.advance(1);
  expect(await names.get("a", { signal })).toBe("name of a");
  expect(names.problem).toBeUndefined();
});

test("a missing scope is reported and logged once, and pauses all queries for ten minutes", async () => {
  failure = new Failure({ missingScopes: ["a:read", "b:read"] });
  await Promise.all(["a", "b"].map(async (key) => names.get(key, { signal })));
  expect(names.problem).toBe("the app may not read names: grant it a:read or b:read");
  expect(host.logged.filter(([level]) => level === "warn")).toEqual([
    ["warn", "the app may not read names", { missingScope: "a:read or b:read" }],
  ]);
  failure = undefined;
  host.clock.advance(10 * MINUTE_MS - 1);
  expect(await names.get("c", { signal })).toBeUndefined();
  host.clock.advance(1);
  expect(await names.get("c", { signal })).toBe("name of c");
  expect(names.problem).toBeUndefined();
});

test("the scope of the lookup is reported if the platform names none", async () => {
  failure = new Failure({ missingScopes: [] });
  await names.get("a", { signal });
  expect(names.problem).toContain("grant it names:read");
});

test.each([
  [{ type: "after", delayMs: 5_000 } as const, 5_000],
  [{ type: "backoff" } as const, MINUTE_MS],
])("a rate limit with %j pauses all queries for %i ms", async (retry, pauseMs) => {
  failure = new Failure({ code: "rate-limited", retry });
  await names.get("a", { signal });
  failure = undefined;
  host.clock.advance(pauseMs - 1);
  expect(await names.get("b", { signal })).toBeUndefined();
  host.clock.advance(1);
  expect(await names.get("b", { signal })).toBe("name of b");
});

test("an aborted signal ends the wait alone, and no listener stays on a signal", async () => {
  const query = Promise.withResolvers<string>();
  const slow = createCachedLookup({
    what: "names",
    scope: "names:read",
    advice: String,
    ttlMs: MINUTE_MS,
    maxEntries: 2,
    ask: () => query.promise,
    failureOf: (error) => (error as Failure).failure,
    host,
    signal,
  });
  const ended = new AbortController();
  const first = slow.get("a", { signal: ended.signal });
  const second = slow.get("a", { signal });
  ended.abort();
  expect(await first).toBeUndefined();
  query.resolve("Alice");
  expect(await second).toBe("Alice");
  expect(await slow.get("a", { signal: ended.signal })).toBeUndefined();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(getEventListeners(ended.signal, "abort")).toEqual([]);
});
