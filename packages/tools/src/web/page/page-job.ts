/** The form of a page's text. */
export type PageFormat = "markdown" | "text";

/** Bytes as they came, with what tells their encoding. */
interface Source {
  readonly bytes: Uint8Array;
  /** The header of the answer; it may name the encoding. */
  readonly contentType: string;
}

/** A job for the thread. */
export type PageJob =
  /** The page's main text. */
  | (Source & { readonly type: "article"; readonly url: string; readonly format: PageFormat })
  /** All text without a document tree: fast on any page. */
  | (Source & { readonly type: "plain" })
  /** The results of DuckDuckGo's page without scripts. */
  | (Source & { readonly type: "duckduckgo" });

/** Text of a page. */
export interface PageText {
  readonly title: string;
  readonly text: string;
  /** Where the page sends its reader by itself; not followed. */
  readonly refresh?: string;
}

/** One result of a search page. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** When it was published or changed, as the provider says it. */
  readonly age?: string;
}

/** The results of a search page, or why it has none. */
export type SearchPage =
  | { readonly type: "results"; readonly results: readonly FoundPage[] }
  /** The server wants to see a person. */
  | { readonly type: "blocked" }
  /** The page has another form than expected. */
  | { readonly type: "unknown" };

/** What the thread posts. */
export type PageMessage =
  /** Once, when it has loaded. */
  | { readonly type: "ready" }
  | { readonly type: "page"; readonly page: PageText }
  | { readonly type: "search-page"; readonly searchPage: SearchPage }
  | { readonly type: "failed"; readonly message: string };
