import * as z from "zod";
import { parserOf } from "../parser-of.ts";

const PART_TYPES = ["channel", "tools", "hooks", "models", "memory", "commands", "routes", "skills", "prompts", "mcp", "lsp"] as const;

/** Something that a package provides. */
export interface PluginPart {
  readonly type: (typeof PART_TYPES)[number];
  /** The channel or the plugin; absent for skills, commands in files and servers. */
  readonly id?: string;
  /** Names of its tools, hooks, models, commands, routes or servers; the folder of skills or commands in files. Text of others. */
  readonly names: readonly string[];
}

/** A package of extensions. */
export interface PluginPackage {
  readonly name: string;
  /** `deployment`: a part of the folder that the gateway runs in. */
  readonly source: "built-in" | "installed" | "deployment";
  /** Absent for a package that cannot be read. */
  readonly version?: string;
  readonly provides: readonly PluginPart[];
  /** What it says that it needs, such as `network:example.com`. */
  readonly permissions: readonly string[];
  /** Parts of a bundle of another product that are not used. */
  readonly unused: readonly string[];
  /** Why it, or a part of it, is not used. */
  readonly problems: readonly string[];
  /** It can be switched off: it has plugins or servers. */
  readonly canSwitch: boolean;
  readonly isEnabled: boolean;
}

/** Something that the scan of a skill found. It runs nothing, and a clean scan proves nothing. */
export interface ScanFinding {
  /** The rule, for programs. */
  readonly rule: string;
  readonly severity: "severe" | "notice";
  readonly meaning: string;
  readonly path: string;
  /** From 1; absent if the whole file is meant. */
  readonly line?: number;
  readonly excerpt?: string;
}

/** What a package would do, before it is accepted. */
export interface PluginPlan {
  readonly name: string;
  readonly version: string;
  /** The version that it replaces; absent for a new package. */
  readonly replaces?: string;
  readonly provides: readonly PluginPart[];
  /** What an update adds and reaches further than its permissions say. */
  readonly added: readonly PluginPart[];
  /** Its servers, each with the program that it runs or the address that it asks. Text of others. */
  readonly servers: readonly { readonly name: string; readonly runs: string }[];
  readonly permissions: readonly string[];
  /** Those that the replaced version did not have; all of a new package. */
  readonly addedPermissions: readonly string[];
  /**
   * What runs its code. `gateway`: the gateway's process, without limits. `server`: programs with the rights of the gateway's user, in the sandbox of the
   * conversation if it has one. `plugin`: a process of its own that gets network and secrets through the gateway alone. `nothing`: instructions for the model.
   */
  readonly reach: "gateway" | "server" | "plugin" | "nothing";
  /** Some of its routes answer everyone who reaches the gateway, without a token. */
  readonly hasPublicRoutes: boolean;
  readonly unused: readonly string[];
  /** In its skills and commands, severe ones first. */
  readonly findings: readonly ScanFinding[];
  /** Names the content that was looked at, for `accept`. */
  readonly digest: string;
}

/** A package that is being installed. */
export interface PluginWork {
  readonly type: "install" | "update" | "remove";
  /** The package as it was written. */
  readonly spec: string;
  /** `fetching` it and what it needs, `checking` it, or `activating` it. */
  readonly step: "fetching" | "checking" | "activating";
  readonly startedAtMs: number;
}

const PluginPartSchema = z.lazy(() => z.strictObject({ type: z.enum(PART_TYPES), id: z.string().optional(), names: z.array(z.string()) }));

/** Parses a package. */
export const PluginPackageSchema: z.ZodType<PluginPackage> = parserOf<PluginPackage>()(() =>
  z.strictObject({
    name: z.string(),
    source: z.enum(["built-in", "installed", "deployment"]),
    version: z.string().optional(),
    provides: z.array(PluginPartSchema),
    permissions: z.array(z.string()),
    unused: z.array(z.string()),
    problems: z.array(z.string()),
    canSwitch: z.boolean(),
    isEnabled: z.boolean(),
  }),
);

/** Parses a finding. */
export const ScanFindingSchema: z.ZodType<ScanFinding> = parserOf<ScanFinding>()(() =>
  z.strictObject({
    rule: z.string(),
    severity: z.enum(["severe", "notice"]),
    meaning: z.string(),
    path: z.string(),
    line: z.number().optional(),
    excerpt: z.string().optional(),
  }),
);

/** Parses what a package would do. */
export const PluginPlanSchema: z.ZodType<PluginPlan> = parserOf<PluginPlan>()(() =>
  z.strictObject({
    name: z.string(),
    version: z.string(),
    replaces: z.string().optional(),
    provides: z.array(PluginPartSchema),
    added: z.array(PluginPartSchema),
    servers: z.array(z.strictObject({ name: z.string(), runs: z.string() })),
    permissions: z.array(z.string()),
    addedPermissions: z.array(z.string()),
    reach: z.enum(["gateway", "server", "plugin", "nothing"]),
    hasPublicRoutes: z.boolean(),
    unused: z.array(z.string()),
    findings: z.array(ScanFindingSchema),
    digest: z.string(),
  }),
);

/** Parses what is being done. */
export const PluginWorkSchema: z.ZodType<PluginWork> = parserOf<PluginWork>()(() =>
  z.strictObject({
    type: z.enum(["install", "update", "remove"]),
    spec: z.string(),
    step: z.enum(["fetching", "checking", "activating"]),
    startedAtMs: z.number(),
  }),
);
