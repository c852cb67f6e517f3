import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { SkillRequirements } from "../skill-file/parse-requirements.ts";

/** The facts that a skill's requirements are checked against. */
export interface SkillHost {
  /** As in `process.platform`. */
  readonly platform: string;
  /** The environment of the gateway: PATH, for programs. Other variables do not reach a skill's commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a key of the configuration has a value other than false, null and "". Absent: none has. */
  readonly isConfigured?: (key: string) => boolean;
}

/** Settings of one skill (`skills.entries.<name>`); for secrets only whether they are set. */
export interface SkillSetting {
  /** Default true. */
  readonly enabled?: boolean;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly apiKey?: unknown;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Variables that commands on the host get from the gateway's own environment. */
const PASSED_ON: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL", "TZ"]);

const PLATFORMS: Readonly<Record<string, string>> = { macos: "darwin", mac: "darwin", windows: "win32" };

/** Looks programs up on the PATH, each once. */
export class ProgramLookup {
  readonly #folders: readonly string[];
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(path: string | undefined) {
    this.#folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
  }

  has(name: string): Promise<boolean> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const lookup = this.#find(name);
    this.#known.set(name, lookup);
    return lookup;
  }

  async #find(name: string): Promise<boolean> {
    if (name === "" || /[/\\\0]/.test(name)) return false;
    for (const folder of this.#folders) {
      if (await isProgram(join(folder, name))) return true;
    }
    return false;
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    // Missing, or not executable for us: either way the skill cannot use it.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** The unmet requirements of a skill, as text for people; empty if it can be used. */
export async function unmetRequirements(
  requirements: SkillRequirements,
  options: { readonly host: SkillHost; readonly setting: SkillSetting; readonly programs: ProgramLookup },
): Promise<string[]> {
  if (requirements.always) return [];
  const { host, setting, programs } = options;
  const unmet: string[] = [];
  const systems = requirements.os.map((name) => PLATFORMS[name.toLowerCase()] ?? name.toLowerCase());
  if (systems.length > 0 && !systems.includes(host.platform)) unmet.push(`is for ${systems.join(", ")} only`);
  for (const name of requirements.bins) {
    if (!(await programs.has(name))) unmet.push(`needs the program ${name}`);
  }
  if (requirements.anyBins.length > 0) {
    const found = await Promise.all(requirements.anyBins.map((name) => programs.has(name)));
    if (!found.includes(true)) unmet.push(`needs one of the programs ${requirements.anyBins.join(", ")}`);
  }
  for (const name of requirements.env) {
    if (!isSet(name, requirements, host, setting)) unmet.push(`needs the environment variable ${name}`);
  }
  for (const key of requirements.config) {
    if (!hasValue(setting.config?.[key]) && host.isConfigured?.(key) !== true) unmet.push(`needs the setting ${key}`);
  }
  return unmet;
}

/** A variable of the gateway alone does not count: its commands are not given it. */
function isSet(name: string, requirements: SkillRequirements, host: SkillHost, setting: SkillSetting): boolean {
  if (hasValue(setting.env?.[name])) return true;
  if (name === requirements.primaryEnv && hasValue(setting.apiKey)) return true;
  return PASSED_ON.has(name) && hasValue(host.env[name]);
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== "";
}
