import { createHash } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type { SkillEntry } from "@factotum/agent-contract";
import { checkFormat } from "./check-format.ts";
import { firstParagraph } from "./first-paragraph.ts";
import { parsePlainFields, type SkillFields } from "./parse-plain-fields.ts";
import { parseRequirements, type SkillRequirements } from "./parse-requirements.ts";
import { plainLine } from "./plain-line.ts";
import { asFields, isFalse, isTrue, textField } from "./skill-fields.ts";
import { SkillFileError } from "./skill-file-error.ts";
import { splitFrontmatter } from "./split-frontmatter.ts";

const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1_024;
const MAX_VERSION_CHARS = 32;
const MAX_LINE_CHARS = 500;
const MAX_HINT_CHARS = 60;
const HASH_CHARS = 8;

/** The contents of a SKILL.md. */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly license?: string;
  /** The environment that it is made for, in words. */
  readonly compatibility?: string;
  /** Tools that its author means it to use. Grants nothing. */
  readonly allowedTools: readonly string[];
  /** Who may invoke it (`user-invocable`, `disable-model-invocation`). Absent: people and the model; `nobody`: both are switched off. */
  readonly invocation?: NonNullable<SkillEntry["invocation"]> | "nobody";
  readonly argumentHint?: string;
  readonly requirements: SkillRequirements;
  /** Deviations from the format; the skill can be used nevertheless. */
  readonly warnings: readonly string[];
}

/**
 * Parses the text of a SKILL.md in the format of Agent Skills, leniently. Frontmatter is optional: without it the folder's name is the name, the first paragraph
 * the description, a hash of the text the version. Rejects with a SkillFileError.
 */
export async function parseSkill(text: string, folderName: string): Promise<SkillFile> {
  const { head, body } = splitFrontmatter(text);
  const fields = head === undefined ? {} : await parseFields(head);
  const name = plainLine(textField(fields, "name") ?? folderName, MAX_NAME_CHARS);
  if (name === "") throw new SkillFileError("The name is empty; set `name` in the frontmatter.");
  const description = plainLine(textField(fields, "description") ?? firstParagraph(body), MAX_DESCRIPTION_CHARS);
  if (description === "") throw new SkillFileError("There is neither a `description` nor a paragraph that could serve as one.");
  const line = (key: string, maxChars = MAX_LINE_CHARS): string | undefined =>
    plainLine(textOrUndefined(fields[key]) ?? "", maxChars) || undefined;
  return {
    name,
    description,
    version: versionOf(fields) ?? createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS),
    allowedTools: toolsOf(fields["allowed-tools"]),
    ...withoutUndefined({
      license: line("license"),
      compatibility: line("compatibility"),
      argumentHint: line("argument-hint", MAX_HINT_CHARS),
      invocation: invocationOf(fields),
    }),
    requirements: parseRequirements(fields),
    warnings: checkFormat(head === undefined ? undefined : fields, { body, folderName }),
  };
}

/** The parser of YAML is large, and most frontmatter is plain. */
export async function parseFields(head: string): Promise<SkillFields> {
  return parsePlainFields(head) ?? (await import("./parse-frontmatter.ts")).parseFrontmatter(head);
}

/** The format puts it below `metadata`; many authors do not. */
function versionOf(fields: SkillFields): string | undefined {
  const { metadata } = fields;
  const nested = typeof metadata === "string" ? undefined : textOrUndefined(asFields(metadata)["version"]);
  return plainLine(textField(fields, "version") ?? nested ?? "", MAX_VERSION_CHARS) || undefined;
}

function invocationOf(fields: SkillFields): SkillFile["invocation"] {
  const model = !isTrue(fields["disable-model-invocation"]);
  const people = !isFalse(fields["user-invocable"]);
  if (model) return people ? undefined : "model";
  return people ? "people" : "nobody";
}

/** Tools are separated by spaces or commas, and their parentheses may hold either: `Bash(git add *) Read`. */
function toolsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((each) => typeof each === "string");
  return typeof value === "string" ? (value.match(/[^\s,(]+(\([^)]*\))?/g) ?? []) : [];
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
