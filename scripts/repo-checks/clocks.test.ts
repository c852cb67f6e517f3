import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../workspace.ts";

/** Sources of what runs in the gateway. A test may ask any clock. */
const sources = globSync(["packages/*/src/**/*.ts", "extensions/*/src/**/*.ts"], { cwd: ROOT }).filter(
  (file) => !file.endsWith(".test.ts") && !file.startsWith("packages/testing-") && !file.startsWith("packages/channel-conformance/"),
);

/** The files that have such a line. */
function filesWith(pattern: RegExp): Set<string> {
  return new Set(
    sources.filter((file) =>
      readFileSync(join(ROOT, file), "utf8")
        .split("\n")
        .some((line) => pattern.test(line)),
    ),
  );
}

/**
 * The wall clock can jump: what ends or begins after some time counts on the monotonic one. Each of these lines was looked at; a new one says here what it
 * is for, or asks `monotonic()`.
 */
const RECKONED = {
  "packages/gateway/src/delivery/row-sender.ts": "a time for the disk; this process waits by the monotonic clock",
  "packages/gateway/src/delivery/streaming/block-stream.ts": "a time for the disk",
  "packages/gateway/src/delivery/streaming/preview-stream.ts": "a time for the disk",
  "packages/gateway/src/commands/status.ts": "shown to a person",
  "packages/gateway/src/agents/resting-models.ts": "shown to a person",
  "packages/gateway/src/sessions/session-service.ts": "a person asks for what was active lately",
};

test("nothing is reckoned with the wall clock but what was looked at", () => {
  expect(sources.length).toBeGreaterThan(400);
  const found = filesWith(/\.now\(\)\)?\s*[-+<>]|(?<!=)[-+<>]=?\s*[\w.#]*[cC]lock[\w.#]*\.now\(\)/);
  expect(found).toEqual(new Set(Object.keys(RECKONED)));
});
