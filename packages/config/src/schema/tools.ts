import * as z from "zod";
import { BrowserConfigSchema, type BrowserConfig } from "./browser.ts";
import { CountSchema, NamesSchema, SecondsSchema, TextSchema } from "./values.ts";
import { WebSchema, type WebConfig } from "./web.ts";

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
    /** Of the owner's commands on the host. `allowlist`: those of `allow`; others ask. `ask`: each asks. `full`: each runs without asking. `deny`: none, also not in a sandbox. */
    readonly mode: "deny" | "allowlist" | "ask" | "full";
    /** Patterns of commands for `allowlist`. */
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
  /** `allowFrom`: ids of owners by channel, `*` for every owner of it. Empty: every owner. */
  readonly elevated: { readonly enabled: boolean; readonly allowFrom: Readonly<Record<string, readonly string[]>> };
  readonly sandbox: { readonly tools: { readonly allow?: readonly string[] | undefined; readonly deny: readonly string[] } };
  /** `timeoutMinutes`: how long a call waits for the owner's decision. 30 if absent. */
  readonly approvals?: { readonly timeoutMinutes?: number | undefined } | undefined;
  /** Whether the earlier content of files that a turn changes is kept, for `/undo`, and what notes held before each change. */
  readonly checkpoints: boolean;
  readonly browser: BrowserConfig;
  readonly agentToAgent: { readonly enabled: boolean; readonly allow: readonly { readonly from: string; readonly to: string }[] };
  readonly web: WebConfig;
}

const ProfileNameSchema = z.enum(["minimal", "coding", "messaging", "full"]);
const ProfileSchema = z.union([ProfileNameSchema, z.array(ProfileNameSchema).min(1)]).transform((names) => [names].flat());

/** Parses a layer of the tool policy. */
export const ToolPolicySchema: z.ZodType<ToolPolicy> = z.strictObject({
  profile: ProfileSchema.optional().describe("Set of tools that the lists narrow further: one profile or several."),
  allow: NamesSchema.optional().describe(
    "Tools that are allowed: names, patterns such as `sessions_*`, and groups such as `group:fs`. Unset: those of the profile; empty: none.",
  ),
  deny: NamesSchema.default([]).describe("Tools that are taken away, in the same notation. It has precedence over everything that allows."),
});

/** Parses `tools`. */
export const ToolsSchema: z.ZodType<ToolsConfig> = z
  .strictObject({
    profile: ProfileSchema.prefault("full").describe("Set of tools for all agents: one profile or several."),
    allow: NamesSchema.optional().describe(
      "Tools that are allowed for all agents: names, patterns and groups. Unset: those of the profile; empty: none.",
    ),
    deny: NamesSchema.default([]).describe("Tools that are taken away for all agents. It has precedence over everything that allows."),
    byProvider: z.record(TextSchema, ToolPolicySchema).default({}).describe("Tools for the models of one provider, by its id."),
    fs: z
      .strictObject({
        roots: NamesSchema.default([]).describe(
          "Folders that the owner's turns may read in addition to the workspace; `~` is the user's home.",
        ),
      })
      .prefault({})
      .describe("What file tools may read."),
    exec: z
      .strictObject({
        mode: z
          .enum(["deny", "allowlist", "ask", "full"])
          .default("ask")
          .describe(
            "The owner's commands on the host. `ask`: each needs a decision. `allowlist`: those of `allow` run, the others need a decision. `full`: each runs without asking. `deny`: there are no commands, also not in a sandbox.",
          ),
        allow: NamesSchema.optional().describe(
          "Patterns of commands that run without asking in the mode `allowlist`, such as `git log *` or `ls *`: words in which `*` matches any characters; a last word `*` matches any further words. Only single commands without shell syntax are covered, and no wildcard covers an option that runs another program.",
        ),
        timeoutSeconds: z
          .union([z.literal(0), SecondsSchema])
          .default(1800)
          .describe("How long a command may run at most, and by default, in the background too. 0: no limit."),
        maxConcurrent: CountSchema.default(16).describe(
          "Commands that run at the same time, over all sessions; a session runs at most 4. All other tools have the same limits, counted apart.",
        ),
        maxProcesses: CountSchema.default(256).describe(
          "Processes of all running commands together; the command with the most is stopped.",
        ),
        maxMemoryMb: CountSchema.default(2048).describe("Memory of all running commands together; the command with the most is stopped."),
        applyPatch: z.boolean().default(true).describe("Whether there is `apply_patch`, which changes several files by one patch."),
      })
      .prefault({})
      .describe("How commands are run."),
    elevated: z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe(
            "Whether `/elevated on` may take the owner's commands of sandboxed turns out of the sandbox, with the approvals that `tools.exec.mode` asks for.",
          ),
        allowFrom: z
          .record(TextSchema, NamesSchema)
          .default({})
          .describe(
            "Which owners may do so: their ids by channel, `*` for every owner of that channel. Empty: every owner. Other people never may.",
          ),
      })
      .prefault({})
      .describe("Commands of sandboxed turns on the host."),
    sandbox: z
      .strictObject({
        tools: z
          .strictObject({
            allow: NamesSchema.optional().describe(
              "Tools of sandboxed turns: names, patterns and groups. Unset: those that the turn would have without a sandbox.",
            ),
            deny: NamesSchema.default([]).describe(
              "Tools that sandboxed turns do not have. It has precedence over everything that allows.",
            ),
          })
          .prefault({})
          .describe("Tools of sandboxed turns; they narrow all other lists."),
      })
      .prefault({})
      .describe("Sandboxed turns."),
    approvals: z
      .strictObject({
        timeoutMinutes: CountSchema.optional().describe("Minutes that a tool call waits for a decision. Default: 30."),
      })
      .optional()
      .describe("Approvals of tool calls."),
    checkpoints: z
      .boolean()
      .default(true)
      .describe(
        "Keeps what files held before the file tools change them, for `/undo`: up to 8 MiB a file, 64 MiB a session, 512 MiB in total. Of notes also the versions before each change.",
      ),
    browser: BrowserConfigSchema,
    agentToAgent: z
      .strictObject({
        enabled: z.boolean().default(false).describe("Lets agents see sessions of other agents and send them messages, as `allow` says."),
        allow: z
          .array(
            z.strictObject({
              from: TextSchema.describe("Agent that may; `*`: every one; `main`: only the main session of the default agent."),
              to: TextSchema.describe("Agent whose sessions it reaches, in the same notation."),
            }),
          )
          .default([])
          .describe("Pairs of agents. Empty: none."),
      })
      .prefault({})
      .describe("What agents reach of each other. An agent reaches its own sessions without it."),
    web: WebSchema,
  })
  .describe("The tools, and what they may do.");
