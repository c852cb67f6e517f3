import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { checkVersions, renderCatalogue } from "../scripts/render-catalogue.ts";
import { CATALOGUE_SOURCE, PROVIDERS, resolveModelInfo } from "../src/index.ts";

test("the generated file is what the script makes of the installed packages, which it names with version and date", async () => {
  checkVersions();
  const file = await readFile(new URL("../src/catalogue/catalogue.gen.ts", import.meta.url), "utf8");
  expect(file).toBe(renderCatalogue());
  expect(CATALOGUE_SOURCE).toMatch(/^\S+ \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\), /);
});

test("every vendor whose key is looked for has a default model with a known window and price", () => {
  for (const [provider, id] of [
    ["anthropic", "claude-sonnet-5-5"],
    ["openai", "gpt-5.5"],
    ["google", "gemini-flash-latest"],
    ["mistral", "mistral-medium-latest"],
  ] as const) {
    const info = resolveModelInfo(provider, id);
    expect(info, id).toMatchObject({ known: true });
    expect(info.contextWindow, id).toBeGreaterThanOrEqual(128_000);
    expect(info.api, id).toBe(PROVIDERS[provider]?.api);
  }
});
