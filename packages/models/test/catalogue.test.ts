import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { checkVersions, renderCatalogue } from "../scripts/render-catalogue.ts";
import { findCatalogueRow } from "../src/catalogue/find-row.ts";
import { findKeptRow, KEPT_ROWS } from "../src/catalogue/kept-rows.ts";
import { DEFAULT_MODELS } from "../src/default-model.ts";
import { CATALOGUE_SOURCE, PROVIDERS, resolveModelInfo } from "../src/index.ts";

test("the generated file matches the installed packages, which it names with version and date", async () => {
  checkVersions();
  const file = await readFile(new URL("../src/catalogue/catalogue.gen.ts", import.meta.url), "utf8");
  expect(file).toBe(renderCatalogue());
  expect(CATALOGUE_SOURCE).toMatch(/^\S+ \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\), /);
});

test.each(DEFAULT_MODELS)("the default model of %s, %s, has a row of its own and needs no pattern", (provider, id) => {
  const row = findKeptRow(provider, id) ?? findCatalogueRow(provider, id);
  expect(row).toEqual({
    ...row,
    id,
    window: expect.any(Number),
    output: expect.any(Number),
    images: expect.any(Boolean),
    reasoning: expect.any(Boolean),
    price: expect.any(Array),
  });
  expect(resolveModelInfo(provider, id)).toMatchObject({
    known: true,
    api: PROVIDERS[provider]?.api,
    contextWindow: row?.window,
    maxOutput: row?.output,
    reasoning: row?.reasoning,
    cost: { input: row?.price?.[0], output: row?.price?.[1] },
  });
});

test("a hand-maintained row names its source and date, and the packages have no better row", () => {
  for (const { provider, row, source, date } of KEPT_ROWS) {
    expect(source).toMatch(/^https:\/\//);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(findCatalogueRow(provider, row.id), `${provider}/${row.id}: the packages have it now, remove the row`).not.toEqual(row);
  }
});
