import type { NoteEntry } from "./note-entries.ts";
import { compareEntries, DUPLICATE, type Likeness } from "./same-entry.ts";

/** An entry that says the same as another one. */
export interface Twin {
  readonly entry: NoteEntry;
  readonly likeness: Exclude<Likeness, "different">;
}

/** Finds entries that say the same, by their rarest tokens: without comparing each with each. */
export class EntryFinder {
  readonly #byToken = new Map<string, Set<NoteEntry>>();

  add(entry: NoteEntry): void {
    for (const token of entry.tokens) {
      const entries = this.#byToken.get(token) ?? new Set();
      this.#byToken.set(token, entries.add(entry));
    }
  }

  remove(entry: NoteEntry): void {
    for (const token of entry.tokens) this.#byToken.get(token)?.delete(entry);
  }

  /** One under the same headings, if there is any. */
  find(entry: NoteEntry): Twin | undefined {
    let elsewhere: Twin | undefined;
    for (const token of this.#telling(entry)) {
      for (const other of this.#byToken.get(token) ?? []) {
        const likeness = compareEntries(other, entry);
        if (likeness === "same") return { entry: other, likeness };
        if (likeness === "elsewhere") elsewhere ??= { entry: other, likeness };
      }
    }
    return elsewhere;
  }

  /** The rarest tokens, one more than a twin can be without. */
  #telling({ tokens }: NoteEntry): readonly string[] {
    const lacking = tokens.size - Math.ceil(DUPLICATE * tokens.size);
    const frequency = (token: string): number => this.#byToken.get(token)?.size ?? 0;
    return [...tokens].toSorted((one, other) => frequency(one) - frequency(other)).slice(0, lacking + 1);
  }
}
