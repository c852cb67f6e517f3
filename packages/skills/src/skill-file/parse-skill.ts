import { createHash } from "node:crypto";
import { firstParagraph } from "./first-paragraph.ts";
import { parsePlainFields, type SkillFields } from "./parse-plain-fields.ts";
import { plainLine } from "./plain-line.ts";
import { SkillFileError } from "./skill-file-error.ts";

const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1_024;
const MAX_VERSION_CHARS = 32;
const HASH_CHARS = 8;

/** The contents of a SKILL.md. */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** False: only a person may invoke it (`disable-model-invocation`). */
  readonly offered: boolean;
  readonly requirements: SkillRequirements;
}

/** What a skill requires. */
export interface SkillRequirements {
  /** True: it is offered even if requirements are missing. */
  readonly always: boolean;
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  readonly env: readonly string[];
  readonly os: readonly string[];
  /** Configuration keys of another product's shape; they are never met here. */
  readonly config: readonly string[];
  /** The variable set from an API key in the configuration. */
  readonly primaryEnv?: string;
}

/**
 * Parses the text of a SKILL.md. Frontmatter is optional: without it the folder's name is the name, the first paragraph the description, a hash of the text the
 * version. Rejects with a SkillFileError.
 */
export async function parseSkill(text: string, folderName: string): Promise<SkillFile> {
  const { head, body } = splitFrontmatter(text);
  const fields = head === undefined ? {} : await parseFields(head);
  const name = plainLine(textField(fields, "name") ?? folderName, MAX_NAME_CHARS);
  if (name === "") throw new SkillFileError("The name is empty; set `name` in the frontmatter.");
  const description = plainLine(textField(fields, "description") ?? firstParagraph(body), MAX_DESCRIPTION_CHARS);
  if (description === "") throw new SkillFileError("There is neither a `description` nor a paragraph that could serve as one.");
  const version = plainLine(textField(fields, "version") ?? "", MAX_VERSION_CHARS);
  return {
    name,
    description,
    version: version === "" ? createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS) : version,
    offered: !isTrue(fields["disable-model-invocation"]),
    requirements: parseRequirements(fields),
  };
}

function splitFrontmatter(text: string): { readonly head?: string; readonly body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/.exec(text);
  return match === null ? { body: text } : { head: match[1] ?? "", body: text.slice(match[0].length) };
}

/** The parser of YAML is large, and most frontmatter is plain. */
async function parseFields(head: string): Promise<SkillFields> {
  return parsePlainFields(head) ?? (await import("./parse-frontmatter.ts")).parseFrontmatter(head);
}

function textField(fields: SkillFields, key: string): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new SkillFileError(`\`${key}\` in the frontmatter is not text.`);
}

/** Accepts YAML's form, which is parsed as text, and JSON's. */
function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

/** Our own block and those of other products' skills. Theirs may be JSON text. */
function parseRequirements(fields: SkillFields): SkillRequirements {
  const metadata = asFields(fields["metadata"]);
  const block = asFields(metadata["factotum"] ?? metadata["openclaw"] ?? metadata["clawdbot"]);
  const requires = asFields(block["requires"]);
  const primaryEnv = block["primaryEnv"];
  return {
    always: isTrue(block["always"]),
    bins: asTexts(requires["bins"]),
    anyBins: asTexts(requires["anyBins"]),
    env: asTexts(requires["env"]),
    os: asTexts(requires["os"] ?? block["os"]),
    config: asTexts(requires["config"]),
    ...(typeof primaryEnv === "string" ? { primaryEnv } : {}),
  };
}

function asFields(value: unknown): SkillFields {
  if (typeof value === "string") return asFields(parseJson(value));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as SkillFields) : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SkillFileError("`metadata` in the frontmatter is text, but not JSON.", { cause: error });
  }
}

function asTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  if (!Array.isArray(value) || texts.length !== value.length)
    throw new SkillFileError("A requirement in the frontmatter's `metadata` is not a list of names.");
  return texts;
}
