import type { Mention } from "@factotum/channel-contract";
import { mentionPattern } from "@factotum/channel-kit";

/** Placeholders stand for tags until all other tags in the text are broken up. No text contains these characters otherwise. */
const OPEN = "\ue000";
const CLOSE = "\ue001";
const MARKERS = /[\ue000\ue001]/g;

/** The people of one text who are notified by their `@name`. Only an open id names a person: no text can notify everyone. */
export class MentionTags {
  readonly #people: readonly { readonly id: string; readonly name: string }[];
  readonly #pattern: RegExp | undefined;

  constructor(mentions: readonly Mention[]) {
    this.#people = mentions.flatMap(({ id, name }) =>
      id !== undefined && /^ou_\w+$/.test(id) && name.trim() !== "" ? [{ id, name }] : [],
    );
    this.#pattern = mentionPattern(this.#people.map(({ name }) => name));
  }

  /** The text without the placeholders' characters. */
  clean(text: string): string {
    return this.#pattern === undefined ? text : text.replace(MARKERS, "");
  }

  /** Puts placeholders in the place of names. */
  mark(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replace(this.#pattern, (_, name: string) => `${OPEN}${this.#people.findIndex((person) => person.name === name)}${CLOSE}`);
  }

  /** Puts tags in the place of placeholders. */
  insert(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replace(/\ue000(\d+)\ue001/g, (_, index: string) => {
      const person = this.#people[Number(index)];
      return person === undefined ? "" : `<at user_id="${person.id}">${person.name.replace(/[<>&"\s]+/g, " ").trim()}</at>`;
    });
  }
}
