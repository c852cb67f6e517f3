import * as z from "zod";
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
export const SkillsSchema: z.ZodType<SkillsConfig> = z.strictObject({
  load: z.strictObject({ extraDirs: NamesSchema.default([]) }).prefault({}),
  entries: z
    .record(
      TextSchema,
      z.strictObject({
        enabled: z.boolean().default(true),
        env: EnvSchema.default({}),
        apiKey: SecretSchema.optional(),
        config: FreeSchema.default({}),
      }),
    )
    .default({}),
});

const mcpShape = {
  enabled: z.boolean().default(true),
  toolFilter: NamesSchema.optional(),
  timeoutMs: CountSchema.default(60_000),
  trusted: z.boolean().default(false),
};

/** Parses one of `mcp.servers`. */
export const McpServerSchema: z.ZodType<McpServerConfig> = z.union([
  z.strictObject({
    command: TextSchema,
    args: z.array(z.string()).default([]),
    env: EnvSchema.default({}),
    cwd: TextSchema.optional(),
    ...mcpShape,
  }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" }),
    transport: z.enum(["streamable-http", "sse"]).default("streamable-http"),
    headers: z.record(TextSchema, SecretSchema).default({}),
    auth: SecretSchema.optional(),
    ...mcpShape,
  }),
]);

/** Parses one of `lsp.servers`. */
export const LspServerSchema: z.ZodType<LspServerConfig> = z.strictObject({
  command: TextSchema,
  args: z.array(z.string()).default([]),
  languages: NamesSchema.default([]),
  rootMarkers: NamesSchema.default([]),
});

/** Parses one of `commandHooks`. */
export const CommandHookSchema: z.ZodType<CommandHook> = z.strictObject({
  event: TextSchema,
  match: z.unknown().optional(),
  command: NamesSchema.min(1),
});

/** Parses `plugins`. */
export const PluginsSchema: z.ZodType<PluginsConfig> = z.strictObject({
  entries: z.record(TextSchema, z.strictObject({ enabled: z.boolean().default(true), config: FreeSchema.default({}) })).default({}),
  allow: NamesSchema.optional(),
  deny: NamesSchema.default([]),
});
