import type { SkillFields } from "./parse-plain-fields.ts";

/** Maximum characters of fields, as the format of Agent Skills has them. */
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1_024;
const MAX_COMPATIBILITY_CHARS = 500;

/** Small letters, digits and single hyphens between them. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Lines of a body after which it should be split. */
const MAX_BODY_LINES = 500;

/** Fields of the format, and those that this product and its relatives add. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  (
    "name description license compatibility allowed-tools metadata version homepage author user-invocable disable-model-invocation argument-hint " +
    "command-dispatch command-tool command-arg-mode"
  ).split(" "),
);

/**
 * How a SKILL.md deviates from the format of Agent Skills (agentskills.io), as text for its author; empty if it does not. A skill that deviates can still be
 * used. `fields`: undefined without frontmatter.
 */
export function checkFormat(
  fields: SkillFields | undefined,
  { body, folderName }: { readonly body: string; readonly folderName: string },
): string[] {
  if (fields === undefined) return ["has no frontmatter: begin it with `---`, `name: …`, `description: …` and `---`"];
  return [
    ...checkName(fields["name"], folderName),
    ...checkDescription(fields["description"]),
    ...checkLength("compatibility", fields["compatibility"], MAX_COMPATIBILITY_CHARS),
    ...checkMetadata(fields["metadata"]),
    ...(fields["allowed-tools"] === undefined || typeof fields["allowed-tools"] === "string" || Array.isArray(fields["allowed-tools"])
      ? []
      : ["`allowed-tools` is not a list of tools separated by spaces"]),
    ...Object.keys(fields)
      .filter((key) => !KNOWN_FIELDS.has(key))
      .map((key) => `has the unknown field \`${key}\`; own fields belong under \`metadata\``),
    ...(body.trim() === "" ? ["has no instructions after the frontmatter"] : []),
    ...(body.split("\n").length > MAX_BODY_LINES
      ? [`has more than ${MAX_BODY_LINES} lines; move long parts into files beside it that are read when needed`]
      : []),
  ];
}

function checkName(name: unknown, folderName: string): string[] {
  if (typeof name !== "string" || name === "") return ["has no `name`"];
  return [
    ...checkLength("name", name, MAX_NAME_CHARS),
    ...(NAME.test(name) ? [] : ["`name` may have small letters, digits and single hyphens only"]),
    ...(name === folderName ? [] : [`\`name\` is not the name of its folder, ${folderName}`]),
  ];
}

function checkDescription(description: unknown): string[] {
  if (typeof description !== "string" || description.trim() === "") return ["has no `description`"];
  return checkLength("description", description, MAX_DESCRIPTION_CHARS);
}

function checkLength(key: string, value: unknown, maxChars: number): string[] {
  if (value === undefined) return [];
  if (typeof value !== "string") return [`\`${key}\` is not text`];
  return Array.from(value).length > maxChars ? [`\`${key}\` has more than ${maxChars} characters`] : [];
}

/** The products' own blocks are nested; the format knows text values only. */
function checkMetadata(metadata: unknown): string[] {
  if (metadata === undefined || typeof metadata === "string") return [];
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
    ? []
    : ["`metadata` is not a block of keys and values"];
}
