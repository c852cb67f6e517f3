import type { AllowsPrivate } from "../../public-fetch/private-places.ts";
import type { PublicRequester } from "../../public-fetch/public-request.ts";
import type { FoundPage } from "../page/page-job.ts";
import type { PageReader } from "../page/page-reader.ts";

/** How old results may be. */
export const FRESHNESS = ["day", "week", "month", "year"] as const;

/** A query. */
export interface SearchQuery {
  readonly query: string;
  /** Maximum number of results. */
  readonly count: number;
  readonly freshness?: (typeof FRESHNESS)[number] | undefined;
}

/** What a service found, or why it found nothing: a sentence that says what to do. */
export type SearchOutcome =
  | { readonly type: "found"; readonly results: readonly FoundPage[] }
  | { readonly type: "failed"; readonly message: string };

/** What a service works with. */
export interface SearchConnection {
  readonly request: PublicRequester;
  readonly pages: Pick<PageReader, "readDuckDuckGo">;
  /** Ends with a slash. */
  readonly baseUrl: string;
  readonly allowsPrivate: AllowsPrivate;
  /** Empty for a service without keys. */
  readonly key: string;
}

/** One search service. */
export interface SearchProvider {
  /** As its makers write it. */
  readonly label: string;
  /** Its own address; absent if everyone runs their own. */
  readonly baseUrl?: string;
  /** The environment variable that usually holds its key; absent if it needs none. */
  readonly keyVariable?: string;
  /** Never rejects. */
  search(query: SearchQuery, connection: SearchConnection, options: { readonly signal: AbortSignal }): Promise<SearchOutcome>;
}
