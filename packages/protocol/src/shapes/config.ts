import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** The result of checking the configuration file. */
export interface ConfigReloadResult {
  /** `applied`: it runs now. `unchanged`: it ran already. `kept`: it is unusable, and the previous one continues to run. */
  readonly type: "applied" | "unchanged" | "kept";
  /** Keys that differ from the previous configuration. */
  readonly changed: readonly string[];
  /** Keys that take effect only after a restart. */
  readonly needsRestart: readonly string[];
  /** Why the previous one is kept; else warnings. */
  readonly problems: readonly string[];
}

/** Parses the answer to `config.reload`. */
export const ConfigReloadResultSchema: z.ZodType<ConfigReloadResult> = parserOf<ConfigReloadResult>()(() =>
  z.strictObject({
    type: z.enum(["applied", "unchanged", "kept"]),
    changed: z.array(z.string()),
    needsRestart: z.array(z.string()),
    problems: z.array(z.string()),
  }),
);

/** Something that is wrong with the file, or worth knowing. */
export interface ConfigFinding {
  /** `missing`, `syntax`, `invalid-value`, `unenforced`, `unknown-key`, `unknown-channel`, `conflict`, `extension`, `environment` or `notice`. */
  readonly type: string;
  /** `agents.list[0].model`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what to do. */
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The configuration file and what it comes to. No secret is in it: `mark` stands for each. */
export interface ConfigView {
  readonly path: string;
  /** `last-good`: the file cannot be used, and its last good copy runs. `defaults`: there is no file. `refused`: nothing can be used. */
  readonly source: "file" | "defaults" | "last-good" | "refused";
  readonly format: "json5" | "yaml";
  /** Identifies the text of the file, for `config.patch`. */
  readonly baseHash: string;
  /** Absent if the file cannot be read, because its secrets cannot be hidden then. */
  readonly text?: string;
  /** What stands for a hidden secret. Written back at the same key it keeps the secret. */
  readonly mark: string;
  /** The keys of the file, old names renamed. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Every value that holds, with its defaults. */
  readonly effective: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigFinding[];
  /** Keys that this build has no effect of yet. */
  readonly inactive: readonly string[];
  /** Keys that differ from those of the start, and need a restart. */
  readonly needsRestart: readonly string[];
}

/** One changed value; secrets are hidden. */
export interface ConfigDifference {
  readonly type: "added" | "removed" | "changed";
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What became of a change. */
export interface ConfigPatchResult {
  /** `planned`: a dry run; nothing was written. `kept`: it was written and cannot be used, so what ran before runs on. */
  readonly type: "applied" | "unchanged" | "planned" | "kept";
  readonly differences: readonly ConfigDifference[];
  /** The new text with its secrets hidden; absent if nothing changes. */
  readonly text?: string;
  /** Of the file after the change; of a plan, before it. */
  readonly baseHash: string;
  /** False if the file has to be rewritten, which loses its comments; an earlier version is kept. */
  readonly keptComments: boolean;
  /** Keys that take effect after a restart. */
  readonly needsRestart: readonly string[];
  /** What the configuration now means for commands and other people's files, one sentence each. */
  readonly policy: readonly string[];
  /** Why it is not used, or what is narrower than it says, and other warnings. */
  readonly problems: readonly string[];
}

/** Parses something that is wrong with the file. */
export const ConfigFindingSchema: z.ZodType<ConfigFinding> = parserOf<ConfigFinding>()(() =>
  z.strictObject({
    type: z.string(),
    path: z.string(),
    message: z.string(),
    line: z.number().optional(),
    column: z.number().optional(),
  }),
);

/** Parses the configuration file. */
export const ConfigViewSchema: z.ZodType<ConfigView> = parserOf<ConfigView>()(() =>
  z.strictObject({
    path: z.string(),
    source: z.enum(["file", "defaults", "last-good", "refused"]),
    format: z.enum(["json5", "yaml"]),
    baseHash: z.string(),
    text: z.string().optional(),
    mark: z.string(),
    written: z.record(z.string(), z.unknown()),
    effective: z.record(z.string(), z.unknown()),
    problems: z.array(ConfigFindingSchema),
    inactive: z.array(z.string()),
    needsRestart: z.array(z.string()),
  }),
);

/** Parses the result of a change. */
export const ConfigPatchResultSchema: z.ZodType<ConfigPatchResult> = parserOf<ConfigPatchResult>()(() =>
  z.strictObject({
    type: z.enum(["applied", "unchanged", "planned", "kept"]),
    differences: z.array(
      z.strictObject({
        type: z.enum(["added", "removed", "changed"]),
        path: z.string(),
        before: z.unknown().optional(),
        after: z.unknown().optional(),
      }),
    ),
    text: z.string().optional(),
    baseHash: z.string(),
    keptComments: z.boolean(),
    needsRestart: z.array(z.string()),
    policy: z.array(z.string()),
    problems: z.array(z.string()),
  }),
);
