import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { listFiles, parseCode, readDocument } from "./documents.ts";

/** The lines of the product that are no comments, tests or fixtures. */
const lines = listFiles("apps/*/src/*", "packages/*/src/*", "extensions/*/src/*")
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$|\/(?:testing-\w+|bench|chaos)\/|catalogue\.gen/.test(file))
  .flatMap((file) => readFileSync(file, "utf8").split("\n"))
  .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line));
const source = lines.join("\n");

/** The texts of a table's first column, in which `…` stands for what differs. */
function quotedTexts(markdown: string): string[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| you see"))
    .flatMap((line) => parseCode(line.split(" | ")[0]?.slice(2) ?? "").codes.map(({ text }) => text));
}

/** True if one line of the product has all parts of a text, in their order. A code of an error and the name of a command are texts, too. */
function isInSource(text: string): boolean {
  const parts = text.split("…").flatMap((part) => (part.trim() === "" ? [] : [RegExp.escape(part.trim())]));
  return new RegExp(parts.join(".*")).test(source);
}

const texts = quotedTexts(readDocument("docs/troubleshooting.md"));

test("the page quotes texts", () => {
  expect(texts.length).toBeGreaterThan(50);
});

/** Names that are shown, and said by Node rather than by the product. */
const FOREIGN: ReadonlySet<string> = new Set(["SELF_SIGNED_CERT_IN_CHAIN", "status", "127.0.0.1"]);

test.each(texts.filter((text) => !FOREIGN.has(text)))("the product says %s", (text) => {
  expect(isInSource(text)).toBe(true);
});

describe("the check", () => {
  test.each(["The gateway is not walking.", "… refused the door in … for …", "in … refused the key"])("misses %s", (text) => {
    expect(isInSource(text)).toBe(false);
  });

  test("reads the first column alone", () => {
    expect(quotedTexts("| you see | do |\n|---|---|\n| `a …`, words, `b` | `c` |\n")).toEqual(["a …", "b"]);
  });
});
