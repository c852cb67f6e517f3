import { CATALOGUE } from "./catalogue.gen.ts";
import type { CatalogueRow } from "./catalogue-row.ts";

/** Suffixes of a model's name that change neither its limits nor, as far as the catalogue knows, its price. */
const VERSION = /(?:-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|:[a-z]+)$/;

/**
 * The catalogue's row of a model: by its own name, by one of its other names, else without its date or variant. `undefined` for a provider or a model that the
 * catalogue does not have. Takes a millisecond at most; not cached.
 */
export function findCatalogueRow(provider: string, id: string): CatalogueRow | undefined {
  const table = Object.hasOwn(CATALOGUE, provider) ? CATALOGUE[provider] : undefined;
  if (table === undefined) return undefined;
  const name = id.toLowerCase();
  return findIn(table, name) ?? (VERSION.test(name) ? findIn(table, name.replace(VERSION, "")) : undefined);
}

function findIn(table: string, name: string): CatalogueRow | undefined {
  const start = table.indexOf(`\n{"id":${JSON.stringify(name)},`);
  if (start !== -1) return parseRow(table.slice(start + 1, table.indexOf("\n", start + 1)));
  for (const line of table.split("\n")) {
    if (!line.includes('"match":')) continue;
    const row = parseRow(line);
    if (row.match !== undefined && new RegExp(row.match).test(name)) return row;
  }
  return undefined;
}

/** The text is ours: the script wrote it from values of this type. */
function parseRow(line: string): CatalogueRow {
  return JSON.parse(line) as CatalogueRow;
}
