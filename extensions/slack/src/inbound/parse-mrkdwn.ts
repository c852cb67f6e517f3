import { markPerson, withoutMarks } from "./mention-marks.ts";

const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
const ANGLE = /<([^<>\n]+)>/g;
const STYLES: readonly (readonly [RegExp, string])[] = [
  [/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, "**$1**"],
  [/(?<![\p{L}\p{N}~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\p{L}\p{N}~])/gu, "~~$1~~"],
];

/**
 * Converts the platform's markup (`*bold*`, `<address|label>`, entities) to Markdown. People are marked by `markPerson`. Italics, code and quotes are written
 * alike in both.
 */
export function parseMrkdwn(source: string): string {
  return withoutMarks(source)
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? unescapeEntities(part.replaceAll(ANGLE, (_, inner: string) => plainReference(inner))) : parsePart(part),
    )
    .join("");
}

/** `&amp;`, `&lt;` and `&gt;`; the platform escapes nothing else. */
export function unescapeEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function parsePart(part: string): string {
  const references: string[] = [];
  // Addresses can contain markup characters, so they are taken out before styles are read.
  const withoutReferences = part.replaceAll(ANGLE, (_, inner: string) => `\uE002${references.push(parseReference(inner)) - 1}\uE002`);
  const styled = STYLES.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), withoutReferences);
  return unescapeEntities(styled).replaceAll(/\uE002(\d+)\uE002/g, (_, index: string) => references[Number(index)] ?? "");
}

/** What stands between angle brackets: a person, a conversation, a group of people, a date, or an address. */
function parseReference(inner: string): string {
  const [target, label] = splitLabel(inner);
  if (/^@[A-Z0-9]+$/.test(target)) return markPerson(target.slice(1));
  if (target.startsWith("#")) return `#${label ?? target.slice(1)}`;
  if (target.startsWith("!")) return specialReference(target.slice(1), label);
  const address = unescapeEntities(target);
  return label === undefined || label === target || `mailto:${label}` === target ? address : `[${unescapeEntities(label)}](${address})`;
}

/** In code the address alone is shown. */
function plainReference(inner: string): string {
  const [target, label] = splitLabel(inner);
  if (/^@[A-Z0-9]+$/.test(target)) return markPerson(target.slice(1));
  return label ?? target;
}

function specialReference(name: string, label: string | undefined): string {
  if (/^(?:here|channel|everyone)$/.test(name)) return `@${name}`;
  if (name.startsWith("subteam^")) return label ?? `@${name.slice("subteam^".length)}`;
  return label ?? name;
}

function splitLabel(inner: string): readonly [string, string | undefined] {
  const at = inner.indexOf("|");
  return at === -1 ? [inner, undefined] : [inner.slice(0, at), inner.slice(at + 1)];
}
