/** The search services, in the order in which documents list them. */
const SEARCH_PROVIDER_NAMES = ["brave", "tavily", "searxng", "duckduckgo"] as const;

/** The id of a search service in the configuration. */
export type SearchProviderName = (typeof SEARCH_PROVIDER_NAMES)[number];

/** A key, or why there is none: a phrase for a person. */
export type SearchKey = { readonly type: "resolved"; readonly value: string } | { readonly type: "unresolved"; readonly message: string };

/** The search service of this configuration. */
export interface SearchSettings {
  readonly provider: SearchProviderName;
  /** Address of the service instead of its own; it may be private, since the owner has named it. */
  readonly baseUrl?: string | undefined;
  /** Reads the key now. Called only for a service that needs one. */
  readonly readKey: () => Promise<SearchKey>;
}
