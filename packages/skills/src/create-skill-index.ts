import { dirname, join, relative, sep } from "node:path";
import type { Logger, SkillEntry, SkillIndex } from "@factotum/agent-contract";
import { findSkillFiles } from "./discovery/find-skill-files.ts";
import { SkillFiles } from "./discovery/skill-files.ts";
import { ProgramLookup, unmetRequirements, type SkillHost, type SkillSetting } from "./eligibility/unmet-requirements.ts";
import type { SkillFile } from "./skill-file/parse-skill.ts";
import { SkillFileError } from "./skill-file/skill-file-error.ts";

const MAX_SKILLS = 500;
/** Warnings remembered so that each is logged once. */
const MAX_REMEMBERED = 1_000;

/** The folders of skills and the facts for their requirements. */
export interface SkillIndexOptions {
  /** The skills shipped with the product. */
  readonly bundledFolder?: string;
  /** `$FACTOTUM_HOME/skills`. */
  readonly managedFolder: string;
  /** `skills.load.extraDirs`; for two skills with one name the earlier folder wins. */
  readonly extraFolders?: readonly string[];
  /** `skills.entries`. */
  readonly entries?: Readonly<Record<string, SkillSetting>>;
  readonly host: SkillHost;
  readonly logger: Logger;
}

/** A skill that is not offered, and why. For `doctor` and `status`. */
export interface SkillProblem {
  /** `broken`: its author must fix it; `not-eligible`: a requirement is missing here; `disabled`: by the configuration. */
  readonly type: "broken" | "not-eligible" | "disabled";
  /** The file or folder. */
  readonly path: string;
  readonly message: string;
}

/** All skills found. */
export interface SkillScan {
  /** The skills offered to a model, by name. */
  readonly skills: readonly SkillEntry[];
  readonly problems: readonly SkillProblem[];
}

/** The index, with details for `doctor`. */
export interface SkillCatalogue extends SkillIndex {
  /** Scans the disk again; unchanged files are not read again. Rejects only if aborted. */
  scan(options: { readonly workspace: string; readonly signal: AbortSignal }): Promise<SkillScan>;
}

interface Candidate extends SkillFile {
  readonly path: string;
  readonly source: SkillEntry["source"];
}

/**
 * Finds skills in `<workspace>/skills`, the managed folder, the extra folders and the bundled ones; for several with one name the first in this order wins, and
 * is then checked. A broken skill is skipped with one warning and does not affect the others.
 */
export function createSkillIndex(options: SkillIndexOptions): SkillCatalogue {
  const warned = new Set<string>();
  const files = new SkillFiles();
  const warnOnce = ({ path, message }: SkillProblem): void => {
    const key = `${path}\0${message}`;
    if (warned.has(key)) return;
    if (warned.size >= MAX_REMEMBERED) warned.clear();
    warned.add(key);
    options.logger.warn("A skill was left out.", { path, reason: message });
  };
  const scan: SkillCatalogue["scan"] = async ({ workspace, signal }) => {
    const { candidates, problems } = await collect(options, files, workspace, signal);
    const programs = new ProgramLookup(options.host.env["PATH"]);
    const skills: SkillEntry[] = [];
    for (const candidate of candidates.values()) {
      signal.throwIfAborted();
      const setting = options.entries?.[candidate.name] ?? {};
      const unmet = await unmetRequirements(candidate.requirements, { host: options.host, setting, programs });
      if (setting.enabled === false)
        problems.push({ type: "disabled", path: candidate.path, message: `${candidate.name} is turned off by skills.entries` });
      else if (unmet.length > 0)
        problems.push({ type: "not-eligible", path: candidate.path, message: `${candidate.name} ${unmet.join(", ")}` });
      else if (candidate.offered) skills.push(toEntry(candidate, workspace));
    }
    skills.sort((one, other) => (one.name < other.name ? -1 : 1));
    return { skills, problems };
  };
  return {
    scan,
    async list({ workspace, allow, signal }) {
      if (allow?.length === 0) return [];
      const { skills, problems } = await scan({ workspace, signal });
      for (const problem of problems) if (problem.type === "broken") warnOnce(problem);
      return allow === undefined ? skills : skills.filter(({ name }) => allow.includes(name));
    },
  };
}

async function collect(
  options: SkillIndexOptions,
  files: SkillFiles,
  workspace: string,
  signal: AbortSignal,
): Promise<{ candidates: Map<string, Candidate>; problems: SkillProblem[] }> {
  const candidates = new Map<string, Candidate>();
  const problems: SkillProblem[] = [];
  for (const { folder, source } of roots(options, workspace)) {
    const found = await findSkillFiles(folder, { maxSkills: MAX_SKILLS - candidates.size, signal });
    problems.push(...found.problems.map((problem): SkillProblem => ({ type: "broken", ...problem })));
    for (const path of found.files) {
      signal.throwIfAborted();
      const skill = await readCandidate(path, source, files);
      if ("message" in skill) {
        problems.push(skill);
        continue;
      }
      const winner = candidates.get(skill.name);
      if (winner === undefined) candidates.set(skill.name, skill);
      else if (winner.source === source)
        problems.push({ type: "broken", path, message: `has the same name as ${winner.path}: ${skill.name}` });
    }
  }
  return { candidates, problems };
}

function roots(options: SkillIndexOptions, workspace: string): { folder: string; source: SkillEntry["source"] }[] {
  return [
    { folder: join(workspace, "skills"), source: "workspace" },
    { folder: options.managedFolder, source: "managed" },
    ...(options.extraFolders ?? []).map((folder) => ({ folder, source: "extra" as const })),
    ...(options.bundledFolder === undefined ? [] : [{ folder: options.bundledFolder, source: "bundled" as const }]),
  ];
}

async function readCandidate(path: string, source: SkillEntry["source"], files: SkillFiles): Promise<Candidate | SkillProblem> {
  try {
    return { ...(await files.read(path)), path, source };
  } catch (error) {
    if (error instanceof SkillFileError) return { type: "broken", path, message: error.message };
    if (error instanceof Error && "code" in error) return { type: "broken", path, message: `It cannot be read (${String(error.code)}).` };
    throw error;
  }
}

function toEntry({ name, description, version, source, path }: Candidate, workspace: string): SkillEntry {
  const way = relative(workspace, path);
  const location = way === ".." || way.startsWith(`..${sep}`) ? path : `./${way}`;
  return { name, description, version, source, location, folder: dirname(path) };
}
