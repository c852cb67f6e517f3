import { SkillFileError } from "./skill-file-error.ts";
import type { SkillFields } from "./parse-plain-fields.ts";

/** A field as text; undefined if it is absent or empty. Throws a SkillFileError for another type. */
export function textField(fields: SkillFields, key: string): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new SkillFileError(`\`${key}\` in the frontmatter is not text.`);
}

/** Accepts YAML's form, which is parsed as text, and JSON's. */
export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

/** A field whose default is true. */
export function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && value.toLowerCase() === "false");
}

/** A block of fields; its text may be JSON. Anything else is empty. */
export function asFields(value: unknown): SkillFields {
  if (typeof value === "string") return asFields(parseJson(value));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as SkillFields) : {};
}

/** A list of names, or one name. Throws a SkillFileError for anything else. */
export function asTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  if (!Array.isArray(value) || texts.length !== value.length)
    throw new SkillFileError("A requirement in the frontmatter's `metadata` is not a list of names.");
  return texts;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SkillFileError("`metadata` in the frontmatter is text, but not JSON.", { cause: error });
  }
}
