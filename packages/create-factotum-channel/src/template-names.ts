/** Keys of `channels` in the configuration, which no channel can have as its id. */
const RESERVED: readonly string[] = ["defaults", "accounts", "enabled"];

/** Replaces the placeholder of a template in every spelling. */
export type TemplateRenamer = (text: string) => string;

/** Why a package cannot have this name, as text for the person; `undefined` if it can. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `"${name}" cannot be a name: lower-case words joined by dashes are expected, at most 40 characters, such as my-chat.`;
  return RESERVED.includes(name) ? `"${name}" cannot be a name: it is a key of the configuration.` : undefined;
}

/**
 * Creates the renamer from a placeholder to a name, both in kebab case. Each occurrence is replaced once, so a name may contain the placeholder. `others` are
 * further texts to replace, each with its replacement; they win over spellings inside them.
 */
export function createRenamer(placeholder: string, name: string, others: Readonly<Record<string, string>> = {}): TemplateRenamer {
  const to = spellings(name);
  const spelled = spellings(placeholder).map((from, index): [string, string] => [from, to[index] ?? name]);
  const replacements = new Map([...Object.entries(others), ...spelled]);
  const pattern = new RegExp([...replacements.keys()].map((from) => RegExp.escape(from)).join("|"), "g");
  return (text) => text.replaceAll(pattern, (found) => replacements.get(found) ?? found);
}

/** An identifier of a file that a renamed one would equal; `undefined` if there is none. */
export function clashIn(text: string, rename: TemplateRenamer): string | undefined {
  const identifiers = new Set(text.match(/[A-Za-z_$][\w$]*/g));
  const renamed = [...identifiers].map((identifier) => [identifier, rename(identifier)] as const).filter(([from, to]) => from !== to);
  return renamed.find(([, to]) => identifiers.has(to) && rename(to) === to)?.[1];
}

/** Kebab case, pascal case, camel case, upper case, and as a title. */
function spellings(kebab: string): readonly string[] {
  const words = kebab.split("-");
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const pascal = words.map(capital).join("");
  return [kebab, pascal, pascal.charAt(0).toLowerCase() + pascal.slice(1), words.join("_").toUpperCase(), words.map(capital).join(" ")];
}
