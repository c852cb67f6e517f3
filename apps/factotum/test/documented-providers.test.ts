import { isListedModel, PROVIDER_FACTS } from "@factotum/models";
import { describe, expect, test } from "vitest";
import { parseCode, readDocument } from "./documents.ts";

const page = readDocument("docs/providers.md");
const pages = [page, readDocument("docs/openrouter.md"), readDocument("docs/ollama.md")].join("\n");
/** The rows of the page's table, by provider id. */
const rows = new Map(
  page
    .split("\n")
    .filter((line) => /^\| [A-Za-z].*\| `/.test(line))
    .map((line) => [/`([^`]+)`/.exec(line)?.[1] ?? "", line]),
);

describe.each(PROVIDER_FACTS)("$label", ({ id, label, url, keyVariables, defaultModel }) => {
  test("has a row with the facts of the product", () => {
    const cells = (rows.get(id) ?? "").split("|").map((cell) => cell.trim());
    const model = id === "ollama" ? "the first one it has" : defaultModel === undefined ? "" : `\`${defaultModel}\``;
    const keys = keyVariables.length === 0 ? "needs no key" : keyVariables.map((name) => `\`${name}\``).join(", ");
    expect(cells.slice(1, -1)).toEqual([label, `\`${id}\``, model, keys]);
  });

  test("says where to create a key", () => {
    if (keyVariables.length > 0) expect(pages).toContain(`<${url}>`);
  });
});

test("the pages use only models that this version knows", () => {
  const chosen = parseCode(pages)
    .fences.filter(({ language }) => language === "sh")
    .flatMap(({ text }) => [...text.matchAll(/^factotum models set ([\w-]+)\/(\S+)$/gm)]);
  expect(chosen.length).toBeGreaterThan(10);
  // A local server may have any model.
  const known = chosen.filter(([, provider = ""]) => provider !== "ollama");
  expect(known.filter(([, provider = "", model = ""]) => !isListedModel(provider, model)).map(([line]) => line)).toEqual([]);
});
