import type { Clock } from "@factotum/agent-contract";
import type { PublicRequester } from "../public-fetch/public-request.ts";
import type { PageReader } from "./page/page-reader.ts";
import type { SearchSettings } from "./search/search-settings.ts";

/** What the web tools work with. */
export interface WebAccess {
  readonly request: PublicRequester;
  readonly pages: Pick<PageReader, "readPage" | "readDuckDuckGo">;
  readonly clock: Pick<Clock, "monotonic">;
  /** `tools.web.fetch`. */
  readonly fetch: {
    /** Of a page, decompressed; the rest is not read. */
    readonly maxBytes: number;
    /** Places that are not public and that the owner's turns may fetch, as `parsePrivatePlaces` reads them. */
    readonly allowPrivate: readonly string[];
  };
  /** `tools.web.search`. */
  readonly search: SearchSettings;
}
