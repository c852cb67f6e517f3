import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT } from "../workspace.ts";

/** A strict provider server that is started without recording its requests for the check. */
const UNCHECKED = /(?<!checkedOfficially\(await )\bstart(?:Strict|Anthropic|OpenAiChat|OpenAiResponses|Google|Mistral)Server\(/g;

test("requests of end-to-end tests to a model are checked against the official SDKs", () => {
  const files = trackedFiles().filter((file) => /^apps\/[^/]+\/e2e\/.*\.ts$/.test(file));
  const texts = files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const);
  expect(texts.some(([, text]) => text.includes("checkedOfficially(await start"))).toBe(true);
  const unchecked = texts.filter(([, text]) => text.match(UNCHECKED) !== null && !text.includes("await checkOfficialRequests("));
  expect(unchecked.map(([file]) => file)).toEqual([]);
});
