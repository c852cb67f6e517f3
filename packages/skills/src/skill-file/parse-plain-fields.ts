/** The fields of a frontmatter. */
export type SkillFields = Readonly<Record<string, unknown>>;

/** A key and its text on one line, of characters without a meaning in YAML. */
const PLAIN_LINE = /^([a-z][a-z-]*): +(\p{L}[\p{L}\p{N} ,.;()/'-]*)$/u;

/** The fields of a frontmatter that has plain lines alone; undefined if it needs a parser of YAML. */
export function parsePlainFields(head: string): SkillFields | undefined {
  const lines = head.split(/\r?\n/).map((line) => PLAIN_LINE.exec(line));
  return lines.includes(null) ? undefined : Object.fromEntries(lines.map((line) => [line?.[1], line?.[2]?.trimEnd()]));
}
