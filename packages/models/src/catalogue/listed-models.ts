import { PROVIDERS } from "../providers.ts";
import { CATALOGUE } from "./catalogue.gen.ts";
import { findCatalogueRow } from "./find-row.ts";
import { findKeptRow, KEPT_ROWS } from "./kept-rows.ts";

/** The names of a provider's models that this version has in its list; empty for a provider without a list, such as a local server. */
export function listedModels(provider: string): readonly string[] {
  if (!Object.hasOwn(CATALOGUE, provider) || PROVIDERS[provider]?.keyVariables === undefined) return [];
  const rows = CATALOGUE[provider]?.matchAll(/^\{"id":"(?<id>[^"]+)"/gm) ?? [];
  return [
    ...KEPT_ROWS.filter((kept) => kept.provider === provider).map(({ row }) => row.id),
    ...[...rows].map(({ groups }) => groups?.["id"] ?? ""),
  ];
}

/** True for a model of that list, by its own name, another of its names, or a dated variant. */
export function isListedModel(provider: string, id: string): boolean {
  return findKeptRow(provider, id) !== undefined || findCatalogueRow(provider, id) !== undefined;
}
