/** A text that a template describes. */
export interface TemplateMatch {
  /** The template of the translation. */
  readonly translation: string;
  /** What stands at the placeholders. */
  readonly values: ReadonlyMap<number, string>;
  /** Number of characters that are no values. */
  readonly ownChars: number;
  /** Placeholders in quotation marks. */
  readonly quoted: ReadonlySet<number>;
  /** Placeholders whose value must be a text of the catalogue, because words follow a word. */
  readonly needed: ReadonlySet<number>;
}

interface Template {
  readonly translation: string;
  /** What stands around the placeholders: one more than there are placeholders. */
  readonly literals: readonly string[];
  readonly placeholders: readonly number[];
  readonly ownChars: number;
  /** Number of letters of its own. */
  readonly letters: number;
}

const PLACEHOLDER = /\{(\d+)\}/g;
/** Between sentences, and clauses that are no part of an example in braces, and before a last remark in parentheses. */
export const BREAK: RegExp = /((?<=[.!?]["')”]?)\s+|(?<!\{[^{}]*)[:;]\s+(?![{[])|\s+(?=\([^()]*\)(?:$|[.:;])))/u;
const SENTENCE_BREAK = /[.!?]["')”]?\s|(?<!\{[^{}]*)[:;]\s+(?![{[])/u;
/** What may follow a word that a value is attached to, if it is no text of the catalogue: `local/m failed{1}`. */
const SUFFIX = /^(?:\s*\(|[.,:;?!])/;

/** Finds the templates that describe a whole text, among those with at least so many letters. Those with the most characters of their own come first. */
export type TemplateMatcher = (text: string, minLetters: number) => readonly TemplateMatch[];

/** Creates a matcher. Placeholders are numbered: `{0}`. Templates are parsed when the first text is searched. */
export function createTemplateMatcher(catalogue: Readonly<Record<string, string>>): TemplateMatcher {
  let templates: ReadonlyMap<string, readonly Template[]> | undefined;
  return (text, minLetters) => {
    templates ??= parseTemplates(catalogue);
    const matches: TemplateMatch[] = [];
    // Those that begin as the text does, and those that begin with a value.
    for (const template of [...(templates.get(text.charAt(0)) ?? []), ...(templates.get("") ?? [])]) {
      if (template.letters < minLetters) continue;
      const found = valuesIn(text, template);
      if (found === undefined) continue;
      const { translation, literals, placeholders, ownChars } = template;
      const quoted = new Set(placeholders.filter((_, at) => /["“`']$/.test(literals[at] ?? "")));
      const isWord = (_: number, at: number): boolean =>
        /\p{L}$/u.test(literals[at] ?? "") && found[at] !== "" && !SUFFIX.test(found[at] ?? "");
      matches.push({
        translation,
        quoted,
        needed: new Set(placeholders.filter(isWord)),
        ownChars,
        values: new Map(placeholders.map((index, at) => [index, found[at] ?? ""])),
      });
    }
    return matches.toSorted((one, other) => other.ownChars - one.ownChars);
  };
}

/** The text of a template with its values. */
export function fillTemplate(template: string, valueOf: (index: number) => string): string {
  return template.replaceAll(PLACEHOLDER, (_, index: string) => valueOf(Number(index)));
}

/** The templates by the character that they begin with; empty if that is a value. */
function parseTemplates(catalogue: Readonly<Record<string, string>>): ReadonlyMap<string, readonly Template[]> {
  const templates = Object.entries(catalogue).map(([english, translation]) => parseTemplate(english, translation));
  return Map.groupBy(
    templates.filter(({ placeholders }) => placeholders.length > 0),
    ({ literals: [first = ""] }) => first.charAt(0),
  );
}

function parseTemplate(english: string, translation: string): Template {
  const placeholders = [...english.matchAll(PLACEHOLDER)].map(([, index]) => Number(index));
  const literals = english.split(/\{\d+\}/);
  const own = literals.join("");
  return { translation, placeholders, literals, ownChars: own.length, letters: own.match(/\p{L}/gu)?.length ?? 0 };
}

/** What stands at the placeholders, each as short as possible but the last; `undefined` if the template does not describe the whole text. */
function valuesIn(text: string, { literals }: Template): readonly string[] | undefined {
  const first = literals[0] ?? "";
  const last = literals.at(-1) ?? "";
  const lastAt = text.length - last.length;
  if (lastAt < first.length || !text.startsWith(first) || !text.endsWith(last)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const next = text.indexOf(literal, at);
    if (next === -1 || next + literal.length > lastAt) return undefined;
    values.push(text.slice(at, next));
    at = next + literal.length;
  }
  values.push(text.slice(at, lastAt));
  // Otherwise a template that begins with its value would describe every text with this end.
  return first === "" && SENTENCE_BREAK.test(values[0] ?? "") ? undefined : values;
}
