/** A text that a template describes. */
export interface TemplateMatch {
  /** The template of the translation. */
  readonly translation: string;
  /** What stands at the placeholders. */
  readonly values: ReadonlyMap<number, string>;
  /** Placeholders in quotation marks. */
  readonly quoted: ReadonlySet<number>;
}

interface Template {
  readonly translation: string;
  /** What stands around the placeholders: one more than there are placeholders. */
  readonly literals: readonly string[];
  readonly placeholders: readonly number[];
}

const PLACEHOLDER = /\{(\d+)\}/g;
const SENTENCE_BREAK = /[.!?]\s|\n/;

/** Creates a function that finds the template with the most own characters that describes a whole text. Placeholders are numbered: `{0}`. */
export function createTemplateMatcher(catalogue: Readonly<Record<string, string>>): (text: string) => TemplateMatch | undefined {
  let templates: readonly Template[] | undefined;
  return (text) => {
    templates ??= parseTemplates(catalogue);
    for (const template of templates) {
      const found = valuesIn(text, template);
      if (found === undefined) continue;
      const { translation, literals, placeholders } = template;
      const quoted = new Set(placeholders.filter((_, at) => literals[at]?.endsWith('"') === true));
      return { translation, quoted, values: new Map(placeholders.map((index, at) => [index, found[at] ?? ""])) };
    }
    return undefined;
  };
}

/** The text of a template with its values. */
export function fillTemplate(template: string, valueOf: (index: number) => string): string {
  return template.replaceAll(PLACEHOLDER, (_, index: string) => valueOf(Number(index)));
}

function parseTemplates(catalogue: Readonly<Record<string, string>>): readonly Template[] {
  return Object.entries(catalogue)
    .map(([english, translation]) => parseTemplate(english, translation))
    .filter(({ placeholders }) => placeholders.length > 0)
    .toSorted((one, other) => other.literals.join("").length - one.literals.join("").length);
}

function parseTemplate(english: string, translation: string): Template {
  const placeholders = [...english.matchAll(PLACEHOLDER)].map(([, index]) => Number(index));
  return { translation, placeholders, literals: english.split(/\{\d+\}/) };
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
