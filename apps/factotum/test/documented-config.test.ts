import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatProblem, loadConfig } from "@factotum/config";
import type { JsonObject } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { configOptions } from "../src/compose/extensions.ts";
import { listDocuments, parseCode, readDocument } from "./documents.ts";
import { INSTALLABLE_SCHEMAS } from "./installable-channels.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "factotum-documents-"));
});
afterEach(async () => rm(home, { recursive: true, force: true }));

/** The configuration snippets of the documents. */
const snippets = listDocuments("*.md")
  .filter((file) => !/^(docs\/decisions|\.changeset)\//.test(file))
  .flatMap((file) =>
    parseCode(readDocument(file))
      .fences.filter(({ language }) => language === "json5")
      .map(({ text, line }) => [`${file}:${line}`, text] as const),
  );

const toJsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" }) as JsonObject;

/** Channels that are installed as packages. */
const INSTALLABLE = Object.entries(INSTALLABLE_SCHEMAS).map(([id, schema]) => ({
  id,
  load: () => Promise.resolve(toJsonSchema(schema)),
}));

/** The problems that `config validate` reports for a file with this text; a section without its braces counts as a separate file. */
async function problemsOf(text: string): Promise<string[]> {
  const isWhole = /^(?:\s*\/\/.*\n)*\s*\{/.test(text);
  await writeFile(join(home, "factotum.json5"), isWhole ? text : `{ ${text} }`);
  const options = await configOptions({ HOME: home, FACTOTUM_HOME: home });
  const loaded = await loadConfig({ ...options, channels: [...options.channels, ...INSTALLABLE] });
  return loaded.problems.map(formatProblem);
}

test("there are snippets", () => {
  expect(snippets.length).toBeGreaterThan(12);
});

test.each(snippets)("%s is a valid configuration", async (_place, text) => {
  expect(await problemsOf(text)).toEqual([]);
});

describe("the checker", () => {
  test.each([
    ["an unknown key", "{ gateway: { prot: 1 } }", "prot"],
    ["a wrong value", '{ gateway: { port: "high" } }', "gateway.port"],
    ["a broken text", "{ gateway: { ", "factotum.json5"],
    ["a section", "gateway: { prot: 1 }", "prot"],
    ["a wrong setting of an installed channel", "{ channels: { webhook: { secret: 1 } } }", "secret"],
    ["an unknown channel", "{ channels: { chatter: {} } }", "chatter"],
  ])("finds %s", async (_name, text, words) => {
    expect((await problemsOf(text)).join("\n")).toContain(words);
  });
});
