import * as z from "zod";
import { CountSchema, SecondsSchema, TextSchema } from "./values.ts";

/** One layer of the tool policy. Layers only narrow, and `deny` wins. */
export interface ToolPolicy {
  /** Names of profiles; their union applies. Absent: this layer has none. */
  readonly profile?: readonly string[] | undefined;
  /** Absent: the profile decides. Empty: no tool. `*`: every loaded tool. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** The tools and their limits, for every agent. */
export interface ToolsConfig extends ToolPolicy {
  readonly profile: readonly string[];
  readonly byProvider: Readonly<Record<string, ToolPolicy>>;
  /** Folders that tools may read in addition to the workspace. `~` is the user's home. */
  readonly fs: { readonly roots: readonly string[] };
  readonly exec: {
    /** `deny`: no tool runs commands. `full`: the owner's commands run without asking. The other two are refused until they are implemented. */
    readonly mode: "deny" | "allowlist" | "ask" | "full";
    /** Patterns of commands for `allowlist`. Refused until they are enforced. */
    readonly allow?: readonly string[] | undefined;
    readonly timeoutSeconds: number;
    /** Concurrent commands over all sessions; a session runs at most 4. All other tools have the same limits, counted separately. */
    readonly maxConcurrent: number;
    /** Processes of all running commands together. */
    readonly maxProcesses: number;
    /** Memory of all running commands together, in MB of 1,024 × 1,024 bytes. */
    readonly maxMemoryMb: number;
    readonly applyPatch: boolean;
  };
  readonly elevated: { readonly enabled: boolean; readonly allowFrom: Readonly<Record<string, readonly string[]>> };
  readonly sandbox: { readonly tools: { readonly allow?: readonly string[] | undefined; readonly deny: readonly string[] } };
  /** Refused until there are approvals. */
  readonly approvals?: { readonly timeoutMinutes?: number | undefined } | undefined;
  readonly checkpoints?: boolean | undefined;
  readonly browser?: Readonly<Record<string, unknown>> | undefined;
  readonly agentToAgent: { readonly enabled: boolean; readonly allow: readonly { readonly from: string; readonly to: string }[] };
  readonly web: { readonly search: Readonly<Record<string, unknown>>; readonly fetch: Readonly<Record<string, unknown>> };
}

const NamesSchema = z.array(TextSchema);
const ProfileNameSchema = z.enum(["minimal", "coding", "messaging", "full"]);
const ProfileSchema = z.union([ProfileNameSchema, z.array(ProfileNameSchema).min(1)]).transform((names) => [names].flat());
const policyShape = { allow: NamesSchema.optional(), deny: NamesSchema.default([]) };

/** Parses a layer of the tool policy. */
export const ToolPolicySchema: z.ZodType<ToolPolicy> = z.strictObject({ profile: ProfileSchema.optional(), ...policyShape });

/** Parses `tools`. */
export const ToolsSchema: z.ZodType<ToolsConfig> = z.strictObject({
  profile: ProfileSchema.prefault("full"),
  ...policyShape,
  byProvider: z.record(TextSchema, ToolPolicySchema).default({}),
  fs: z.strictObject({ roots: NamesSchema.default([]) }).prefault({}),
  exec: z
    .strictObject({
      mode: z.enum(["deny", "allowlist", "ask", "full"]).default("full"),
      allow: NamesSchema.optional(),
      timeoutSeconds: SecondsSchema.default(1800),
      maxConcurrent: CountSchema.default(16).describe(
        "Commands that run at the same time, over all sessions; a session runs at most 4. All other tools have the same limits, counted apart.",
      ),
      maxProcesses: CountSchema.default(256).describe("Processes of all running commands together; the command with the most is stopped."),
      maxMemoryMb: CountSchema.default(2048).describe("Memory of all running commands together; the command with the most is stopped."),
      applyPatch: z.boolean().default(true),
    })
    .prefault({}),
  elevated: z.strictObject({ enabled: z.boolean().default(false), allowFrom: z.record(TextSchema, NamesSchema).default({}) }).prefault({}),
  sandbox: z.strictObject({ tools: z.strictObject(policyShape).prefault({}) }).prefault({}),
  approvals: z.strictObject({ timeoutMinutes: CountSchema.optional() }).optional(),
  checkpoints: z.boolean().optional(),
  browser: z.record(z.string(), z.unknown()).optional(),
  agentToAgent: z
    .strictObject({
      enabled: z.boolean().default(false),
      allow: z.array(z.strictObject({ from: TextSchema, to: TextSchema })).default([]),
    })
    .prefault({}),
  web: z
    .strictObject({ search: z.record(z.string(), z.unknown()).default({}), fetch: z.record(z.string(), z.unknown()).default({}) })
    .prefault({}),
});
