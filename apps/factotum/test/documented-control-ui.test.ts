import { expect, test } from "vitest";
import { readDocument } from "./documents.ts";

const page = readDocument("docs/control-ui.md");
const texts = Object.keys(JSON.parse(readDocument("apps/web/src/i18n/catalogues/en.json")) as Record<string, string>);
const names = [...page.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = ""]) => name);

/** A text of the page with a word in the place of each value. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`\S+`)}$`);
}

/** Of these, a value alone would fit every name. */
const patterns = texts.filter((text) => !text.includes("plural,") && /\w{3}/.test(text.replaceAll(/\{\w+\}/g, ""))).map(patternOf);

test("every name in bold is one that the page shows", () => {
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
  expect(patterns.some((pattern) => pattern.test("Install it at once, please"))).toBe(false);
});

test("every page of the navigation has a row that says what it is for", () => {
  const labels = [...readDocument("apps/web/src/shell/use-pages.ts").matchAll(/label: t\("([^"]+)"\)/g)].map(([, label = ""]) => label);
  expect(labels.length).toBeGreaterThan(10);
  const rows = [...page.matchAll(/^\| \*\*([^*]+)\*\* \|/gm)].map(([, name]) => name);
  expect(new Set(rows)).toEqual(new Set(labels));
});
