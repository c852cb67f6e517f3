import { HOOKS, type HookName } from "@factotum/plugin";
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
  readonly sampling: boolean;
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
      readonly oauth?: McpOauthConfig | undefined;
    });

/** What is settled for the login at a tool server. */
interface McpOauthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: Secret | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
  readonly redirectPort?: number | undefined;
}

/** A language server. */
export interface LspServerConfig {
  readonly enabled: boolean;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Secret>>;
  readonly languages: readonly string[];
  readonly extensions: Readonly<Record<string, string>>;
  readonly rootMarkers: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly sandbox: Omit<McpSandbox, "workspace"> & { readonly workspace: "ro" | "rw" };
}

/** Language servers, and what they are used for. */
export interface LspConfig {
  readonly servers: Readonly<Record<string, LspServerConfig>>;
  readonly detect: boolean;
  readonly workspacePrograms: boolean;
  readonly changeDiagnostics: boolean;
  readonly idleMinutes: number;
  readonly maxServers: number;
}

/** Settings of one plugin. */
interface PluginEntry {
  readonly enabled: boolean;
  /** It runs in the gateway's process, with the gateway's authority. */
  readonly trusted: boolean;
  /** Its process is stopped after this time without a call. Unset: two minutes. */
  readonly idleSeconds?: number | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Kinds of conversations that the memory may search. */
const MEMORY_SESSIONS = ["private", "groups", "subagents"] as const;

/** What is searched in addition to the notes of an agent. */
export interface MemoryConfig {
  /** Id of the plugin that is the memory. Unset: the notes are searched. */
  readonly provider?: string | undefined;
  /** Markdown files, and folders of them. */
  readonly extraPaths: readonly string[];
  /** `private`: conversations in which only the owner has written. */
  readonly sessions: readonly (typeof MEMORY_SESSIONS)[number][];
  /** When an agent proposes additions to `MEMORY.md`, as `HH:MM` of its day. Unset: never. */
  readonly dailyReview?: string | undefined;
  /** What compares texts by their meaning, too. Unset: words alone are compared. */
  readonly embeddings?: { readonly model: string } | undefined;
}

/** Which plugins are loaded. */
export interface PluginsConfig {
  readonly entries: Readonly<Record<string, PluginEntry>>;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** A command that can deny an action with exit code 2. Refused until hooks are implemented. */
export interface CommandHook {
  readonly event: HookName;
  /** Unset: every occasion. */
  readonly match: { readonly tools?: readonly string[] | undefined; readonly agents?: readonly string[] | undefined };
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
}

const HOOK_NAMES = Object.keys(HOOKS) as [HookName, ...HookName[]];
/** Hooks whose payload names a tool. */
const TOOL_HOOKS: readonly HookName[] = ["before_tool_call", "after_tool_call"];
/** Hooks without an agent. */
const PLACELESS_HOOKS: readonly HookName[] = ["message_sending", "message_sent", "gateway_start", "gateway_stop"];

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

/** Parses `memory`. */
export const MemorySchema: z.ZodType<MemoryConfig> = z
  .strictObject({
    provider: TextSchema.optional().describe("Plugin that is the memory. Unset: the notes in the workspace are searched."),
    extraPaths: NamesSchema.default([]).describe("Further Markdown files, and folders of them, that are searched."),
    sessions: z
      .array(z.enum(MEMORY_SESSIONS))
      .default(["private"])
      .describe("Conversations that are searched: `private` are those in which only the owner has written. `[]`: none."),
    dailyReview: texts('a time such as "21:00" is expected', /^([01]\d|2[0-3]):[0-5]\d$/)
      .optional()
      .describe(
        "Time of day at which the assistant proposes additions to MEMORY.md from the day's notes, such as `21:00`. It writes nothing by itself. Unset: never.",
      ),
    embeddings: z
      .strictObject({
        model: TextSchema.describe(
          "Model that embeds texts, as `provider/model`. It reads everything that is searched, and each question.",
        ),
      })
      .optional()
      .describe("Compares texts by their meaning, next to their words. Unset: by their words alone."),
  })
  .describe("Search over the notes and conversations.");

const mcpShape = () => ({
  enabled: z.boolean().default(true).describe("`false` switches the server off."),
  toolFilter: NamesSchema.optional().describe(
    "Tools of the server that are used, by its own names, where `*` matches any characters. Unset: all.",
  ),
  timeoutMs: CountSchema.default(60_000).describe("Milliseconds that a call may take. Progress extends it, up to ten times."),
  trusted: z.boolean().default(false).describe("Whether its results count as trusted text, and what it says of its tools is believed."),
  sampling: z
    .boolean()
    .default(false)
    .describe("Whether it may ask, in a call, that the model writes for it. You are asked each time. Needs `trusted`."),
});

/** The request is the server's words, and costs money. */
function needsTrust<Server extends z.ZodType<Pick<McpServerCommon, "trusted" | "sampling">>>(server: Server): Server {
  return server.refine(({ trusted, sampling }) => trusted || !sampling, {
    path: ["sampling"],
    message: "only a trusted server may have it; set trusted too, or remove it",
  });
}

const sandboxShape = () => ({
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
});

const McpSandboxSchema = z
  .strictObject({
    ...sandboxShape(),
    workspace: z
      .enum(["none", "ro", "rw"])
      .default("ro")
      .describe("With `on`: access to the workspace. What is read-only for the conversation stays so."),
  })
  .prefault({})
  .describe("Where the program runs.");

const McpOauthSchema = z
  .strictObject({
    clientId: TextSchema.optional().describe(
      "A client that is registered at its authorization server. Unset: one is registered at the login.",
    ),
    clientSecret: SecretSchema.optional().describe("Secret of that client; needs `clientId` and `issuer`."),
    clientMetadataUrl: z
      .url({ protocol: /^https$/, error: "an address that begins with https:// is expected" })
      .optional()
      .describe("Address of a document that describes the client, for authorization servers that take such documents."),
    issuer: z
      .url({ protocol: /^https?$/, error: "an address that begins with https:// is expected" })
      .optional()
      .describe("The only authorization server that is used; it may be at a private address. Unset: the one that the server names."),
    scope: TextSchema.optional().describe("Scopes that are asked for if the server names none, separated by spaces."),
    redirectPort: z.int().min(1).max(65_535).optional().describe("Port of this machine to which codes are sent. Unset: a free one."),
  })
  .refine(
    ({ clientId, clientSecret, issuer }) => clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
    "clientSecret needs clientId, and the issuer that may get it",
  )
  .describe("The login at a server that wants one (OAuth).");

/** Parses one of `mcp.servers`. */
export const McpServerSchema: z.ZodType<McpServerConfig> = z.lazy(() =>
  z.union([
    needsTrust(
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
    ),
    needsTrust(
      z.strictObject({
        url: z
          .url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" })
          .describe("Address of a server that runs elsewhere."),
        transport: z.enum(["streamable-http", "sse"]).default("streamable-http").describe("How the server at that address is spoken to."),
        headers: z.record(TextSchema, SecretSchema).default({}).describe("Headers of requests to it."),
        auth: SecretSchema.optional().describe("Bearer token of requests to it. Unset: a server that wants a login gets one (`oauth`)."),
        oauth: McpOauthSchema.optional(),
        ...mcpShape(),
      }),
    ),
  ]),
);

const LspSandboxSchema = z
  .strictObject({
    ...sandboxShape(),
    workspace: z
      .enum(["ro", "rw"])
      .default("ro")
      .describe("With `on`: access to the workspace. What is read-only for the conversation stays so."),
  })
  .prefault({})
  .describe("Where the program runs.");

/** Parses one of `lsp.servers`. */
export const LspServerSchema: z.ZodType<LspServerConfig> = z.lazy(() =>
  z.strictObject({
    enabled: z.boolean().default(true).describe("`false` switches the server off."),
    command: TextSchema.describe("Program of the language server."),
    args: z.array(z.string()).default([]).describe("Its arguments."),
    env: EnvSchema.default({}).describe("Its environment variables."),
    languages: NamesSchema.default([]).describe(
      "Ids of its languages, such as `typescript`. The first one is in the names of its tools. Unset: the name of the server.",
    ),
    extensions: z
      .record(texts("an extension begins with a dot, such as .vue", /^\.[^./\\]+$/), TextSchema)
      .default({})
      .describe("Language ids by the extensions of files, in addition to those that are known for its languages."),
    rootMarkers: NamesSchema.default([]).describe(
      "Files that mark the root of a project. Unset: those that are known for the language. Without one the root is the workspace.",
    ),
    initializationOptions: FreeSchema.optional().describe("What the server is given when it starts."),
    settings: FreeSchema.default({}).describe("What the server asks for by sections, such as `{ yaml: { validate: true } }`."),
    sandbox: LspSandboxSchema,
  }),
);

/** Parses `lsp`. */
export const LspSchema: z.ZodType<LspConfig> = z
  .strictObject({
    servers: z.record(TextSchema, LspServerSchema).default({}).describe("The servers, by name."),
    detect: z
      .boolean()
      .default(false)
      .describe(
        "Whether well-known servers are used that are installed on the `PATH`. They read the project, and some run programs of it.",
      ),
    workspacePrograms: z
      .boolean()
      .default(false)
      .describe("Whether `detect` also takes programs of the workspace, such as `node_modules/.bin`. The assistant can write them."),
    changeDiagnostics: z.boolean().default(true).describe("Whether changes of files come back with the errors that they introduce."),
    idleMinutes: CountSchema.default(10).describe("Minutes without use after which a server is stopped."),
    maxServers: CountSchema.default(4).describe("Servers that run at the same time; another one takes the place of one that rests."),
  })
  .describe("Language servers.");

/** Parses one of `commandHooks`. */
export const CommandHookSchema: z.ZodType<CommandHook> = z.lazy(() =>
  z
    .strictObject({
      event: z.enum(HOOK_NAMES).describe("The hook at which the command is run."),
      match: z
        .strictObject({
          tools: NamesSchema.min(1).optional().describe("Names, patterns and groups of tools; for the two hooks of tool calls."),
          agents: NamesSchema.min(1).optional().describe("Ids of agents; not for hooks of messages on their way and of the gateway."),
        })
        .prefault({})
        .describe("On which occasions it is run. Unset: on every one."),
      command: NamesSchema.min(1).describe(
        "Program and arguments. It gets the occasion as JSON on standard input; exit code 0 lets it go on, 2 denies it with the output as the reason.",
      ),
      timeoutSeconds: z.number().positive().max(60).default(10).describe("How long it may take. A late one denies what can be denied."),
    })
    .refine(({ event, match }) => match.tools === undefined || TOOL_HOOKS.includes(event), {
      path: ["match", "tools"],
      message: `only ${TOOL_HOOKS.join(" and ")} have a tool`,
    })
    .refine(({ event, match }) => match.agents === undefined || !PLACELESS_HOOKS.includes(event), {
      path: ["match", "agents"],
      message: `${PLACELESS_HOOKS.join(", ")} have no agent`,
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
          trusted: z
            .boolean()
            .default(false)
            .describe(
              "`true`: the plugin runs in the gateway's process and can do what the gateway can. By default it has a process of its own.",
            ),
          idleSeconds: z
            .int()
            .min(1)
            .max(86_400)
            .optional()
            .describe("Seconds without a call after which its process is stopped; the next call starts it again. Unset: 120."),
          config: FreeSchema.default({}).describe("Settings of the plugin."),
        }),
      )
      .default({})
      .describe("Settings of single plugins, by the id of the plugin."),
    allow: NamesSchema.optional().describe("Ids of the plugins that may be used. Unset: all that are installed."),
    deny: NamesSchema.default([]).describe("Ids of plugins that are not used."),
  })
  .describe("Plugins.");
