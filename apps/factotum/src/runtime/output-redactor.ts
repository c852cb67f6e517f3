import { REDACTED } from "@factotum/config";

/** Shorter values are not matched: they would take ordinary words out of what a tool returns. */
const SHORTEST = 8;

/**
 * Redacts secrets in what tools return: as they are, as JSON, URLs and base64 write them. A command that transforms a secret in another way, or prints
 * a part of it, is not noticed.
 */
export class OutputRedactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | undefined;

  add(values: Iterable<string>): void {
    const before = this.#forms.size;
    for (const value of values) if (value.length >= SHORTEST) for (const form of writtenForms(value)) this.#forms.add(form);
    if (this.#forms.size === before) return;
    // Longest first: a secret that contains another one is redacted as a whole.
    const parts = [...this.#forms].sort((left, right) => right.length - left.length).map((form) => RegExp.escape(form));
    this.#pattern = new RegExp(parts.join("|"), "g");
  }

  redact(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
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

  /** How many characters at the start no later text can turn into a part of a secret. */
  #settledLength(text: string): number {
    let end = text.length;
    for (const form of this.#forms) {
      for (let start = Math.max(0, text.length - form.length + 1); start < end; start += 1) {
        if (form.startsWith(text.slice(start))) end = start;
      }
    }
    // A match that reaches into what is held back is held back whole.
    for (const match of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      if (match.index < end && match.index + match[0].length > end) end = match.index;
    }
    return end;
  }
}

/** How a secret can stand in a text. In base64 the bytes before it decide which of three forms it has; the characters at its edges depend on its neighbours. */
function writtenForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), ...base64];
}
