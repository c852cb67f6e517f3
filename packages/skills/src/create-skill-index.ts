import { dirname, join, relative, sep } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, SkillEntry, SkillIndex, SkillPlace, SkillSource } from "@factotum/agent-contract";
import { readCommandFiles } from "./commands/read-command-files.ts";
import { findSkillFiles } from "./discovery/find-skill-files.ts";
import { readSkillFile } from "./discovery/read-skill-file.ts";
import { SkillFiles } from "./discovery/skill-files.ts";
import { ProgramLookup, unmetRequirements, type SkillHost, type SkillSetting } from "./eligibility/unmet-requirements.ts";
import type { SkillFile } from "./skill-file/parse-skill.ts";
import { SkillFileError } from "./skill-file/skill-file-error.ts";
import { splitFrontmatter } from "./skill-file/split-frontmatter.ts";
import { skillRoots, type SkillFolders } from "./sources/skill-sources.ts";

const MAX_SKILLS = 500;
/** Warnings remembered so that each is logged once. */
const MAX_REMEMBERED = 1_000;

/** The folders of skills and the facts for their requirements. */
export interface SkillIndexOptions extends SkillFolders {
  /** `skills.entries`. */
  readonly entries?: Readonly<Record<string, SkillSetting>>;
  /** Folders of slash commands of packages, absolute. Those of the workspace have precedence; all of them are the owner's alone. */
  readonly commandFolders?: readonly string[];
  readonly host: SkillHost;
  readonly logger: Logger;
}

/** A skill that is not offered, and why. For `doctor`, `status` and `/context`. */
export interface SkillProblem {
  /**
   * `broken`: its author must fix it; `not-eligible`: a requirement is missing here; `disabled`: by the configuration; `shadowed`: another of its name has
   * precedence.
   */
  readonly type: "broken" | "not-eligible" | "disabled" | "shadowed";
  /** The file or folder. */
  readonly path: string;
  readonly message: string;
  /** The skill, if its file could be read. */
  readonly name?: string;
}

/** A skill that was found, whether it is offered or not. */
export interface FoundSkill extends SkillFile {
  /** Its SKILL.md, symbolic links resolved. */
  readonly path: string;
  readonly source: SkillSource;
}

/** All skills found. */
export interface SkillScan {
  /** The skills that can be used, by name. */
  readonly skills: readonly SkillEntry[];
  readonly problems: readonly SkillProblem[];
  /** The winner of each name, eligible or not, by name. */
  readonly found: readonly FoundSkill[];
}

/** The index, with details for people. */
export interface SkillCatalogue extends SkillIndex {
  /** Scans the disk again; unchanged files are not read again. Rejects only if aborted. */
  scan(options: SkillPlace): Promise<SkillScan>;
}

/**
 * Finds skills in the folders of `skillRoots`; for several with one name the first in this order wins, and is then checked. A broken skill is skipped with one
 * warning and does not affect the others.
 */
export function createSkillIndex(options: SkillIndexOptions): SkillCatalogue {
  const warned = new Set<string>();
  const files = new SkillFiles();
  const warnOnce = ({ path, message }: Pick<SkillProblem, "path" | "message">): void => {
    const key = `${path}\0${message}`;
    if (warned.has(key)) return;
    if (warned.size >= MAX_REMEMBERED) warned.clear();
    warned.add(key);
    options.logger.warn("A skill was left out.", { path, reason: message });
  };
  const scan: SkillCatalogue["scan"] = async (place) => {
    const { candidates, problems } = await collect(options, files, place);
    const programs = new ProgramLookup(options.host.env["PATH"]);
    const skills: SkillEntry[] = [];
    for (const candidate of candidates.values()) {
      place.signal.throwIfAborted();
      const { name, path, requirements, invocation } = candidate;
      const setting = settingOf(candidate, options.entries ?? {});
      const unmet = await unmetRequirements(requirements, { host: options.host, setting, programs });
      if (setting.enabled === false) problems.push({ type: "disabled", path, name, message: `${name} is turned off by skills.entries` });
      else if (unmet.length > 0) problems.push({ type: "not-eligible", path, name, message: `${name} ${unmet.join(", ")}` });
      else if (invocation === "nobody")
        problems.push({ type: "disabled", path, name, message: `${name} says itself that neither people nor the model may invoke it` });
      else skills.push(toEntry(candidate, invocation, place.workspace));
    }
    return { skills: skills.toSorted(byName), problems, found: [...candidates.values()].toSorted(byName) };
  };
  return {
    scan,
    async list({ allow, ...place }) {
      if (allow?.length === 0) return [];
      const { skills, problems } = await scan(place);
      for (const problem of problems) if (problem.type === "broken") warnOnce(problem);
      return allow === undefined ? skills : skills.filter(({ name }) => allow.includes(name));
    },
    async leftOut(place) {
      const { problems } = await scan(place);
      return problems
        .filter(({ type }) => type !== "shadowed")
        .map(({ name, path, message }) => ({ name: name ?? path, reason: message }))
        .toSorted(byName);
    },
    async readBody({ folder }) {
      try {
        return splitFrontmatter(await readSkillFile(join(folder, "SKILL.md"))).body;
      } catch (error) {
        // It was removed or broken since it was listed.
        if (error instanceof SkillFileError || (error instanceof Error && "code" in error)) return undefined;
        throw error;
      }
    },
    commands: async ({ workspace, signal }) => {
      const own = await readCommandFiles(join(workspace, "commands"), { signal });
      return withPackageCommands(own, options.commandFolders ?? [], signal);
    },
  };
}

type CommandFiles = Awaited<ReturnType<SkillIndex["commands"]>>;

/** Who wrote a package does not decide who may use its commands. */
async function withPackageCommands(own: CommandFiles, folders: readonly string[], signal: AbortSignal): Promise<CommandFiles> {
  const brought = await Promise.all(folders.map(async (folder) => readCommandFiles(folder, { signal })));
  const commands = new Map(own.commands.map((command) => [command.name, command]));
  for (const command of brought.flatMap((files) => files.commands))
    if (!commands.has(command.name)) commands.set(command.name, { ...command, access: "owner" });
  return { commands: [...commands.values()], problems: [...own.problems, ...brought.flatMap(({ problems }) => problems)] };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

function settingOf({ name, requirements }: SkillFile, entries: Readonly<Record<string, SkillSetting>>): SkillSetting {
  const key = requirements.settingsKey ?? name;
  return Object.hasOwn(entries, key) ? (entries[key] ?? {}) : {};
}

async function collect(
  options: SkillIndexOptions,
  files: SkillFiles,
  place: SkillPlace,
): Promise<{ candidates: Map<string, FoundSkill>; problems: SkillProblem[] }> {
  const candidates = new Map<string, FoundSkill>();
  const problems: SkillProblem[] = [];
  for (const { folder, source } of skillRoots(options, place)) {
    const found = await findSkillFiles(folder, { maxSkills: MAX_SKILLS - candidates.size, signal: place.signal });
    problems.push(...found.problems.map((problem): SkillProblem => ({ type: "broken", ...problem })));
    for (const path of found.files) {
      place.signal.throwIfAborted();
      const skill = await readCandidate(path, source, files);
      if ("message" in skill) {
        problems.push(skill);
        continue;
      }
      const { name } = skill;
      const winner = candidates.get(name);
      if (winner === undefined) candidates.set(name, skill);
      else if (winner.source === source)
        problems.push({ type: "broken", path, name, message: `has the same name as ${winner.path}: ${name}` });
      else problems.push({ type: "shadowed", path, name, message: `${name} is replaced by ${winner.path}` });
    }
  }
  return { candidates, problems };
}

async function readCandidate(path: string, source: SkillSource, files: SkillFiles): Promise<FoundSkill | SkillProblem> {
  try {
    return { ...(await files.read(path)), path, source };
  } catch (error) {
    if (error instanceof SkillFileError) return { type: "broken", path, message: error.message };
    if (error instanceof Error && "code" in error) return { type: "broken", path, message: `It cannot be read (${String(error.code)}).` };
    throw error;
  }
}

function toEntry(skill: FoundSkill, invocation: SkillEntry["invocation"], workspace: string): SkillEntry {
  const { name, description, version, source, path, argumentHint, requirements } = skill;
  const { tools, settingsKey, primaryEnv } = requirements;
  const way = relative(workspace, path);
  const location = way === ".." || way.startsWith(`..${sep}`) ? path : `./${way}`;
  return {
    name,
    description,
    version,
    source,
    location,
    folder: dirname(path),
    ...withoutUndefined({ invocation, argumentHint, settingsKey, primaryEnv }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}
