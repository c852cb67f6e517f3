import * as z from "zod";
import { AllowedHostSchema } from "./allowed-host.ts";
import { SecretSchema, type Secret } from "./secret.ts";
import { CountSchema, texts, TextSchema } from "./values.ts";

/** Skills in addition to those of the workspace, the state directory and the build. */
export interface SkillsConfig {
  readonly load: { readonly extraDirs: readonly string[] };
  readonly entries: Readonly<
    Record<
      string,
      {
        readonly enabled: boolean;
        readonly env: Readonly<Record<string, Secret>>;
        readonly apiKey?: Secret | undefined;
        readonly config: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

/** The sandbox of a local tool server. */
interface McpSandbox {
  readonly mode: "inherit" | "off" | "on";
  readonly network: "none" | { readonly allow: readonly string[] };
  readonly workspace: "none" | "ro" | "rw";
}

interface McpServerCommon {
  readonly enabled: boolean;
  readonly toolFilter?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly trusted: boolean;
}

/** A tool server: a local program, or one at an address. */
export type McpServerConfig =
  | (McpServerCommon & {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, Secret>>;
      readonly cwd?: string | undefined;
      readonly roots: "none" | "workspace";
      readonly sandbox: McpSandbox;
    })
  | (McpServerCommon & {
      readonly url: string;
      readonly transport: "streamable-http" | "sse";
      readonly headers: Readonly<Record<string, Secret>>;
      readonly auth?: Secret | undefined;
    });

/** A language server. */
export interface LspServerConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly languages: readonly string[];
  readonly rootMarkers: readonly string[];
}

/** Which plugins are loaded. */
export interface PluginsConfig {
  readonly entries: Readonly<Record<string, { readonly enabled: boolean; readonly config: Readonly<Record<string, unknown>> }>>;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** A command that can deny an action with exit code 2. Refused until hooks are implemented. */
export interface CommandHook {
  readonly event: string;
  readonly match?: unknown;
  readonly command: readonly string[];
}

const NamesSchema = z.array(TextSchema);
const FreeSchema = z.record(z.string(), z.unknown());
const EnvSchema = z.record(texts("a variable's name is letters, digits and _", /^[A-Za-z_][A-Za-z0-9_]*$/), SecretSchema);

/** Parses `skills`. */
export const SkillsSchema: z.ZodType<SkillsConfig> = z
  .strictObject({
    load: z
      .strictObject({ extraDirs: NamesSchema.default([]).describe("Further folders of skills.") })
      .prefault({})
      .describe("Where skills are looked for."),
    entries: z
      .record(
        TextSchema,
        z.strictObject({
          enabled: z.boolean().default(true).describe("`false` switches the skill off."),
          env: EnvSchema.default({}).describe("Variables for commands in runs that use this skill."),
          apiKey: SecretSchema.optional().describe(
            "Key for the service of this skill; given to commands in the variable that the skill names (`primaryEnv`).",
          ),
          config: FreeSchema.default({}).describe("Settings that the skill may require (`requires.config`)."),
        }),
      )
      .default({})
      .describe("Settings of single skills, by name."),
  })
  .describe("Skills: instructions that an agent reads when it needs them.");

const mcpShape = () => ({
  enabled: z.boolean().default(true).describe("`false` switches the server off."),
  toolFilter: NamesSchema.optional().describe(
    "Tools of the server that are used, by its own names, where `*` matches any characters. Unset: all.",
  ),
  timeoutMs: CountSchema.default(60_000).describe("Milliseconds that a call may take. Progress extends it, up to ten times."),
  trusted: z.boolean().default(false).describe("Whether its results count as trusted text, and what it says of its tools is believed."),
});

const McpSandboxSchema = z
  .strictObject({
    mode: z
      .enum(["inherit", "off", "on"])
      .default("inherit")
      .describe("`inherit`: that of the conversation that uses the server. `on`: always in a sandbox. `off`: always on the host."),
    network: z
      .union([
        z.literal("none"),
        z.strictObject({ allow: z.array(AllowedHostSchema).describe("Hosts that the server may reach through the gateway's proxy.") }),
      ])
      .default("none")
      .describe("With `on`: its network, none or single hosts."),
    workspace: z
      .enum(["none", "ro", "rw"])
      .default("ro")
      .describe("With `on`: access to the workspace. What is read-only for the conversation stays so."),
  })
  .prefault({})
  .describe("Where the program runs.");

/** Parses one of `mcp.servers`. */
export const McpServerSchema: z.ZodType<McpServerConfig> = z.lazy(() =>
  z.union([
    z.strictObject({
      command: TextSchema.describe("Program of the server."),
      args: z.array(z.string()).default([]).describe("Its arguments."),
      env: EnvSchema.default({}).describe("Its environment variables."),
      cwd: TextSchema.optional().describe("Its working folder. Unset: the workspace."),
      roots: z
        .enum(["none", "workspace"])
        .default("none")
        .describe(
          "`workspace`: it is told that it may work in the agent's workspace. Some servers then forget the folders of their arguments.",
        ),
      sandbox: McpSandboxSchema,
      ...mcpShape(),
    }),
    z.strictObject({
      url: z
        .url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" })
        .describe("Address of a server that runs elsewhere."),
      transport: z.enum(["streamable-http", "sse"]).default("streamable-http").describe("How the server at that address is spoken to."),
      headers: z.record(TextSchema, SecretSchema).default({}).describe("Headers of requests to it."),
      auth: SecretSchema.optional().describe("Bearer token of requests to it."),
      ...mcpShape(),
    }),
  ]),
);

/** Parses one of `lsp.servers`. */
export const LspServerSchema: z.ZodType<LspServerConfig> = z.lazy(() =>
  z.strictObject({
    command: TextSchema.describe("Program of the language server."),
    args: z.array(z.string()).default([]).describe("Its arguments."),
    languages: NamesSchema.default([]).describe("Languages that it serves."),
    rootMarkers: NamesSchema.default([]).describe("Files that mark the root of a project."),
  }),
);

/** Parses one of `commandHooks`. */
export const CommandHookSchema: z.ZodType<CommandHook> = z.lazy(() =>
  z.strictObject({
    event: TextSchema.describe("Event at which the command is run."),
    match: z.unknown().optional().describe("Which of these events it is run for."),
    command: NamesSchema.min(1).describe("Program and arguments; exit code 2 denies. Refused while no hooks are run."),
  }),
);

/** Parses `plugins`. */
export const PluginsSchema: z.ZodType<PluginsConfig> = z
  .strictObject({
    entries: z
      .record(
        TextSchema,
        z.strictObject({
          enabled: z.boolean().default(true).describe("`false` switches the plugin off."),
          config: FreeSchema.default({}).describe("Settings of the plugin."),
        }),
      )
      .default({})
      .describe("Settings of single plugins, by name."),
    allow: NamesSchema.optional().describe("Plugins that may be loaded. Unset: all."),
    deny: NamesSchema.default([]).describe("Plugins that are not loaded."),
  })
  .describe("Plugins.");
