import { PROVIDERS } from "../providers.ts";
import { CATALOGUE } from "./catalogue.gen.ts";
import { findCatalogueRow } from "./find-row.ts";
import { findKeptRow, KEPT_ROWS } from "./kept-rows.ts";

/** Models of a provider that this version lists; empty for a provider without a list, such as a local server. */
export function listedModels(provider: string): readonly string[] {
  if (!Object.hasOwn(CATALOGUE, provider) || PROVIDERS[provider]?.keyVariables === undefined) return [];
  const rows = CATALOGUE[provider]?.matchAll(/^\{"id":"(?<id>[^"]+)"/gm) ?? [];
  return [
    ...KEPT_ROWS.filter((kept) => kept.provider === provider).map(({ row }) => row.id),
    ...[...rows].map(({ groups }) => groups?.["id"] ?? ""),
  ];
}

/** True for a listed model, by its own name, one of its aliases, or a dated variant. */
export function isListedModel(provider: string, id: string): boolean {
  return findKeptRow(provider, id) !== undefined || findCatalogueRow(provider, id) !== undefined;
}
