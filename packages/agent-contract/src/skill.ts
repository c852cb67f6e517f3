import type { RunFacts } from "./run.ts";

/**
 * Where a skill was found, highest precedence first: `<workspace>/skills`, `<workspace>/.agents/skills`, `~/.agents/skills`, the agent's own folder, the state
 * directory, the build, an additional folder.
 */
export type SkillSource = "workspace" | "project" | "personal" | "agent" | "managed" | "bundled" | "extra";

/** One skill that can be used. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** The path of SKILL.md that the model should pass to `read`: relative to the workspace (`./skills/…`) if it is inside, otherwise absolute. */
  readonly location: string;
  readonly version?: string;
  readonly source: SkillSource;
  /** Absolute folder of the skill, symbolic links resolved: readable by tools. */
  readonly folder: string;
  /** `people`: only by its slash command; `model`: only by the model. Absent: both. */
  readonly invocation?: "people" | "model";
  /** What follows its slash command, for help: `<city>`. */
  readonly argumentHint?: string;
  /** Tools that it cannot do without: in a session that lacks one it is not offered. Absent: none. */
  readonly tools?: readonly string[];
  /** Its key in `skills.entries`, if that is not its name. */
  readonly settingsKey?: string;
  /** The environment variable that its API key is given in. */
  readonly primaryEnv?: string;
}

/** A skill that was found and is not offered. */
export interface LeftOutSkill {
  readonly name: string;
  /** For people: `needs the program gh`. */
  readonly reason: string;
}

/** A Markdown file of the workspace that is a slash command of the user. */
export interface CommandFile {
  /** Without the slash: `[a-z0-9][a-z0-9_-]*`, at most 32 characters. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** Who may use it: the owner, unless the file says `access: anyone`. */
  readonly access: "owner" | "anyone";
  /** The message for the model, with placeholders for arguments. */
  readonly body: string;
}

/** The folders that a skill is looked for in. */
export interface SkillPlace {
  /** The agent's own workspace. Absolute. */
  readonly workspace: string;
  readonly agentId: string;
  readonly signal: AbortSignal;
}

/** Lists the available skills, and the commands of a workspace. Implemented by `skills`, used by the gateway. */
export interface SkillIndex {
  /** The eligible skills, by name; `allow` restricts them (`undefined`: all, `[]`: none). */
  list(options: SkillPlace & { readonly allow?: readonly string[] }): Promise<readonly SkillEntry[]>;
  /** The skills that were found and cannot be used, by name, each with the reason. */
  leftOut(options: SkillPlace): Promise<readonly LeftOutSkill[]>;
  /** The instructions of a skill without its frontmatter; `undefined` if the file is gone or unusable by now. */
  readBody(skill: SkillEntry, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
  /** The files of `<workspace>/commands`, by name; `problems` says of each unusable one what to change. */
  commands(options: Pick<SkillPlace, "workspace" | "signal">): Promise<{
    readonly commands: readonly CommandFile[];
    readonly problems: readonly { readonly path: string; readonly message: string }[];
  }>;
}

/** Learns which runs use which skills, so that a skill's commands are given its keys in those runs only. */
export interface SkillUse {
  /** People invoked these skills in messages of the run. */
  invoked(run: RunFacts, names: readonly string[]): void;
}
