import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { listFiles, parseCode, readDocument } from "./documents.ts";

/** The lines of the product, without comments, tests and fixtures. */
const lines = listFiles("apps/*/src/*", "packages/*/src/*", "extensions/*/src/*")
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$|\/(?:testing-\w+|bench|chaos)\/|catalogue\.gen/.test(file))
  .flatMap((file) => readFileSync(file, "utf8").split("\n"))
  .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line));
const source = lines.join("\n");

/** The texts in a table's first column, in which `…` stands for variable parts. */
function quotedTexts(markdown: string): string[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| you see"))
    .flatMap((line) => parseCode(line.split(" | ")[0]?.slice(2) ?? "").codes.map(({ text }) => text));
}

/** True if one line of the product has all parts of a text, in order. Error codes and names of commands are texts, too. */
function isInSource(text: string): boolean {
  const parts = text.split("…").flatMap((part) => (part.trim() === "" ? [] : [RegExp.escape(part.trim())]));
  return new RegExp(parts.join(".*")).test(source);
}

const texts = quotedTexts(readDocument("docs/troubleshooting.md"));

test("the page quotes texts", () => {
  expect(texts.length).toBeGreaterThan(50);
});

/** Error names that come from Node, not from the product. */
const FOREIGN: ReadonlySet<string> = new Set(["SELF_SIGNED_CERT_IN_CHAIN", "status", "127.0.0.1"]);

test.each(texts.filter((text) => !FOREIGN.has(text)))("the product prints %s", (text) => {
  expect(isInSource(text)).toBe(true);
});

/** The first sentences with which the frame of the page, and the gateway at its socket, refuse or ask for a token. Advice has elements in it. */
const tokenTexts = listFiles("apps/web/src/*", "packages/gateway/src/rpc/client-connection.ts")
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|\/src\/(?:pages|plugin-install)\//.test(file))
  .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/["`]([A-Z][^"`<]*?\btoken\b[^"`<]*?\.)/g)].map(([, text = ""]) => text));

test("the page has texts about the token", () => {
  expect(tokenTexts.length).toBeGreaterThanOrEqual(5);
});

test.each(tokenTexts)("the document explains %s", (text) => {
  expect(texts).toContain(text);
});

describe("the checker", () => {
  test.each(["The gateway is not walking.", "… refused the door in … for …", "in … refused the key"])("misses %s", (text) => {
    expect(isInSource(text)).toBe(false);
  });

  test("reads only the first column", () => {
    expect(quotedTexts("| you see | do |\n|---|---|\n| `a …`, words, `b` | `c` |\n")).toEqual(["a …", "b"]);
  });
});
