import { setImmediate as nextTick } from "node:timers/promises";
import type { TranscriptEntry } from "../port/transcript-records.ts";
import type { ContextBounds, RecentContext } from "../port/transcript-store.ts";
import type { StoreCalls } from "./store-calls.ts";
import type { Tables } from "./tables/tables.ts";
import { decodePosition } from "./values/sequence-id.ts";

/** Entries that an export holds in memory at a time. */
const EXPORT_PAGE = 200;

/** Long transcripts, read page by page so that the event loop runs other work between two pages. */
export class TranscriptReader {
  readonly #tables: Pick<Tables, "conversations" | "transcripts">;
  readonly #calls: StoreCalls;

  constructor({ tables, calls }: { readonly tables: Pick<Tables, "conversations" | "transcripts">; readonly calls: StoreCalls }) {
    this.#tables = tables;
    this.#calls = calls;
  }

  async recentContext(sessionId: string, { maxChars, images }: ContextBounds): Promise<RecentContext> {
    const pages: (readonly TranscriptEntry[])[] = [];
    let [textChars, imageChars] = [0, images.maxChars];
    let before: number | undefined;
    do {
      if (before !== undefined) await nextTick();
      const [from, left] = [before, { ...images, maxChars: imageChars }];
      const page = await this.#calls.read(() => this.#tables.transcripts.contextPage(sessionId, left, from));
      pages.unshift(page.entries);
      textChars += page.textChars;
      ({ before, imageChars } = page);
    } while (before !== undefined && textChars < maxChars);
    const first = before;
    const start = await this.#calls.read(() => this.#tables.transcripts.contextStart(sessionId, first ?? 0));
    return { entries: [...start.compaction, ...pages.flat()], omitted: start.omitted };
  }

  async *export(sessionId: string, options?: { readonly after: string }): AsyncIterable<TranscriptEntry> {
    const conversation = await this.#calls.read(() => this.#tables.conversations.find(sessionId));
    let after: number | undefined = options === undefined ? 0 : decodePosition("e", options.after);
    if (conversation === undefined) return;
    while (after !== undefined) {
      const from: number = after;
      const page = await this.#calls.read(() => this.#tables.transcripts.after(conversation, from, EXPORT_PAGE));
      yield* page.entries;
      after = page.last;
    }
  }
}
