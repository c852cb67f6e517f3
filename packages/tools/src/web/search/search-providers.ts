import { brave } from "./brave.ts";
import { duckduckgo } from "./duckduckgo.ts";
import type { SearchProvider } from "./search-provider.ts";
import type { SearchProviderName } from "./search-settings.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** The search services by their ids. */
export const SEARCH_PROVIDERS: Readonly<Record<SearchProviderName, SearchProvider>> = { brave, tavily, searxng, duckduckgo };
