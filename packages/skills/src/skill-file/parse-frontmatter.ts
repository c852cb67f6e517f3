import { isMap, parseDocument } from "yaml";
import type { SkillFields } from "./parse-plain-fields.ts";
import { plainLine } from "./plain-line.ts";
import { SkillFileError } from "./skill-file-error.ts";

const MAX_ALIASES = 20;

/** Parses YAML frontmatter, every value as text. Throws a SkillFileError. */
export function parseFrontmatter(head: string): SkillFields {
  // The version 1.10 is not a number.
  const document = parseDocument(head, { schema: "failsafe", prettyErrors: false, uniqueKeys: false, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) {
    const message = `The frontmatter is not valid YAML (${plainLine(error.message, 120)}); put values that hold a colon into quotes.`;
    throw new SkillFileError(message, { cause: error });
  }
  if (document.contents === null) return {};
  if (!isMap(document.contents)) throw new SkillFileError("The frontmatter is not a list of `key: value` lines.");
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as SkillFields;
  } catch (error) {
    throw new SkillFileError("The frontmatter uses too many YAML aliases.", { cause: error });
  }
}
