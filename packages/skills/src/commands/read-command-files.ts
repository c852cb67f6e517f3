import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CommandFile, SkillIndex } from "@factotum/agent-contract";
import { readSkillFile } from "../discovery/read-skill-file.ts";
import { firstParagraph } from "../skill-file/first-paragraph.ts";
import { parseFields } from "../skill-file/parse-skill.ts";
import { plainLine } from "../skill-file/plain-line.ts";
import { SkillFileError } from "../skill-file/skill-file-error.ts";
import { textField } from "../skill-file/skill-fields.ts";
import { splitFrontmatter } from "../skill-file/split-frontmatter.ts";

/** Maximum commands of one workspace; the rest, by name, is reported. */
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION_CHARS = 100;
const MAX_HINT_CHARS = 60;
const EXTENSION = ".md";
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

type CommandFiles = Awaited<ReturnType<SkillIndex["commands"]>>;

/**
 * Reads the Markdown files of a folder of slash commands, by name. A missing folder is empty; links and subfolders are not followed. An unusable file is a
 * problem that says what to change. Rejects only if aborted.
 */
export async function readCommandFiles(folder: string, { signal }: { readonly signal: AbortSignal }): Promise<CommandFiles> {
  const commands: CommandFile[] = [];
  const problems: { path: string; message: string }[] = [];
  const names = await namesIn(folder);
  for (const name of names.slice(0, MAX_COMMANDS)) {
    signal.throwIfAborted();
    const path = join(folder, name);
    try {
      commands.push(await readCommand(path));
    } catch (error) {
      if (error instanceof SkillFileError) problems.push({ path, message: error.message });
      else if (error instanceof Error && "code" in error) problems.push({ path, message: `It cannot be read (${String(error.code)}).` });
      else throw error;
    }
  }
  if (names.length > MAX_COMMANDS)
    problems.push({ path: folder, message: `holds more than ${MAX_COMMANDS} commands; the rest was left out` });
  return { commands, problems };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION) && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    // There is no such folder, or no right to list it: then there are no commands.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

async function readCommand(path: string): Promise<CommandFile> {
  const name = basename(path, EXTENSION).toLowerCase();
  if (!NAME.test(name))
    throw new SkillFileError(
      "Its name is no name of a command: use small letters, digits, - and _, at most 32 of them, such as stand-up.md.",
    );
  const { head, body } = splitFrontmatter(await readSkillFile(path));
  const fields = head === undefined ? {} : await parseFields(head);
  if (body.trim() === "") throw new SkillFileError("It has no text for the model after its frontmatter.");
  const description = plainLine(textField(fields, "description") ?? firstParagraph(body), MAX_DESCRIPTION_CHARS);
  const hint = fields["argument-hint"];
  // `[file]` in YAML is a list of one.
  const argumentHint = plainLine(Array.isArray(hint) ? `[${hint.join(", ")}]` : typeof hint === "string" ? hint : "", MAX_HINT_CHARS);
  return {
    name,
    description: description === "" ? "a command of this workspace" : description,
    access: accessOf(fields["access"]),
    body: body.trim(),
    ...withoutUndefined({ argumentHint: argumentHint === "" ? undefined : argumentHint }),
  };
}

function accessOf(value: unknown): CommandFile["access"] {
  if (value === undefined || value === "owner") return "owner";
  if (value === "anyone") return "anyone";
  throw new SkillFileError("`access` in its frontmatter is neither owner nor anyone.");
}
