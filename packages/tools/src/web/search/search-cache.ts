import type { Clock } from "@factotum/agent-contract";
import type { FoundPage } from "../page/page-job.ts";
import type { SearchQuery } from "./search-provider.ts";

const KEPT_MS = 15 * 60_000;
const MAX_ENTRIES = 32;

/** Results of recent queries, at most 32 for 15 minutes: a model often repeats one. */
export class SearchCache {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #entries = new Map<string, { readonly results: readonly FoundPage[]; readonly untilMs: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get(query: SearchQuery): readonly FoundPage[] | undefined {
    const entry = this.#entries.get(keyOf(query));
    return entry !== undefined && this.#clock.monotonic() < entry.untilMs ? entry.results : undefined;
  }

  set(query: SearchQuery, results: readonly FoundPage[]): void {
    const key = keyOf(query);
    this.#entries.delete(key);
    this.#entries.set(key, { results, untilMs: this.#clock.monotonic() + KEPT_MS });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }
}

function keyOf({ query, count, freshness }: SearchQuery): string {
  return JSON.stringify([query, count, freshness ?? ""]);
}
