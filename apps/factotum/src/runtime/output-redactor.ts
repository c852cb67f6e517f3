import { REDACTED } from "@factotum/config";

/** Shorter values are not matched: they would redact ordinary words in tool results. */
const SHORTEST = 8;

/** One encoding of a secret. */
interface WrittenForm {
  readonly text: string;
  /** Its lines may be wrapped anywhere, like dumps in base64 and hex. */
  readonly wraps: boolean;
}

/**
 * Redacts secrets in tool results: plain, and as encoded in JSON, URLs, base64 and hexadecimal digits, the last two also wrapped over lines. Other
 * transformations of a secret, and parts of it, are not detected.
 */
export class OutputRedactor {
  /** By their text. */
  readonly #forms = new Map<string, WrittenForm>();
  #pattern: RegExp | undefined;
  #longest = 0;
  #ready: Promise<unknown> = Promise.resolve();

  /** Delays tool results until `work`, which adds secrets, is done. */
  waitFor(work: Promise<void>): void {
    this.#ready = Promise.all([this.#ready, work]);
  }

  /** Resolves once every pending secret has been added. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  add(values: Iterable<string>): void {
    const before = this.#forms.size;
    for (const value of values) if (value.length >= SHORTEST) for (const form of writtenForms(value)) this.#forms.set(form.text, form);
    if (this.#forms.size === before) return;
    this.#longest = Math.max(...[...this.#forms.keys()].map(({ length }) => length));
    // Longest first: a secret that contains another one is redacted as a whole.
    const parts = [...this.#forms.keys()].sort((left, right) => right.length - left.length).map((form) => RegExp.escape(form));
    this.#pattern = new RegExp(parts.join("|"), "g");
  }

  redact(text: string): string {
    if (this.#pattern === undefined) return text;
    let redacted = text.replace(this.#pattern, REDACTED);
    for (const [start, end] of this.#wrapped(redacted).toReversed()) redacted = redacted.slice(0, start) + REDACTED + redacted.slice(end);
    return redacted;
  }

  /** Redacts a text that arrives in chunks. The returned functions take a chunk, and flush what was held back as the possible start of a secret. */
  stream(emit: (text: string) => void): { readonly push: (text: string) => void; readonly flush: () => void } {
    let held = "";
    const pass = (end: number): void => {
      const ready = held.slice(0, end);
      held = held.slice(end);
      if (ready !== "") emit(this.redact(ready));
    };
    return {
      push: (text) => {
        held += text;
        pass(this.#settledLength(held));
      },
      flush: () => pass(held.length),
    };
  }

  /** Maximum length of a secret in a text: its longest form, with a line break after every character. */
  get maxSecretChars(): number {
    return 3 * this.#longest;
  }

  /** How many leading characters no later text can turn into a part of a secret. */
  #settledLength(text: string): number {
    const from = Math.max(0, text.length - this.maxSecretChars);
    const tail = text.slice(from);
    const plain = withoutBreaks(tail);
    let end = text.length;
    for (const form of this.#forms.values()) {
      const { characters, positionOf } = form.wraps ? plain : { characters: tail, positionOf: (index: number) => index };
      for (let start = Math.max(0, characters.length - form.text.length + 1); start < characters.length; start += 1) {
        if (characters[start] !== form.text[0] || !form.text.startsWith(characters.slice(start))) continue;
        end = Math.min(end, from + positionOf(start));
        break;
      }
    }
    // A match that reaches into the held back text is held back completely.
    const matches = this.#pattern === undefined ? [] : [...text.matchAll(this.#pattern)];
    const places = [...matches.map((match) => [match.index, match.index + match[0].length] as const), ...this.#wrapped(text)];
    for (const [from, to] of places.toSorted(([left], [right]) => right - left)) if (from < end && to > end) end = from;
    return end;
  }

  /** Matches of forms with line breaks in them: start and end, in order, without overlaps. */
  #wrapped(text: string): readonly (readonly [start: number, end: number])[] {
    if (!/[\r\n]/.test(text)) return [];
    const { characters, positionOf } = withoutBreaks(text);
    const found: (readonly [number, number])[] = [];
    for (const { text: form, wraps } of this.#forms.values()) {
      if (!wraps) continue;
      for (let at = characters.indexOf(form); at !== -1; at = characters.indexOf(form, at + form.length))
        found.push([positionOf(at), positionOf(at + form.length - 1) + 1]);
    }
    const merged: [number, number][] = [];
    for (const [start, end] of found.toSorted(([left], [right]) => left - right)) {
      const last = merged.at(-1);
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
      else merged.push([start, end]);
    }
    return merged;
  }
}

/** A text without its line breaks, with the original position of each character. */
function withoutBreaks(text: string): { readonly characters: string; readonly positionOf: (index: number) => number } {
  let positions: number[] | undefined;
  const positionOf = (index: number): number => {
    // Most texts need no lookup.
    positions ??= [...text.matchAll(/[^\r\n]/g)].map((match) => match.index);
    return positions[index] ?? text.length;
  };
  return { characters: text.replaceAll(/[\r\n]/g, ""), positionOf };
}

/** The forms of a secret in a text. In base64 the bytes before it determine one of three alignments; the characters at its edges depend on its neighbours. */
function writtenForms(value: string): WrittenForm[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const hex = bytes.toString("hex");
  return [
    ...[...base64, hex, hex.toUpperCase()].map((text) => ({ text, wraps: true })),
    ...[value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())].map((text) => ({ text, wraps: false })),
  ];
}
