import type { JsonSchema } from "@factotum/agent-contract";
import { matchesTool, ModelEntrySchema, TOOL_NAMES, type LspServerConfig, type McpServerConfig, type ModelEntry } from "@factotum/config";
import { findProvider } from "@factotum/models";
import { HOOKS, isHookName, type HookName } from "@factotum/plugin";
import * as z from "zod";
import type { DeclaredCommand, DeclaredRoute } from "@factotum/plugin-host";
import { CommandsSchema } from "./provided-commands.ts";
import { addedRoutes, describeRoute, RoutesSchema } from "./provided-routes.ts";
import { IdFormsSchema, type IdForms } from "./id-forms.ts";
import { lineOf } from "./line-of.ts";

/** A path of a package: relative, and inside it. */
export const inside: z.ZodType<string> = z
  .string("a path is expected")
  .regex(/^\.\/[^\\\p{C}]+$/u, 'a path inside the package is expected, such as "./dist/index.mjs"')
  .refine((path) => !path.split("/").includes(".."), "the path leaves the package");

/** Keys of `channels` that are not channels. */
const RESERVED = ["defaults", "accounts", "enabled"];

/** A channel: `entry` exports the extension, `configSchema` is the JSON Schema of one account. */
export interface ProvidedChannel {
  readonly type: "channel";
  /** Id of the channel in configuration and addresses. */
  readonly id: string;
  /** What it is and what one needs for it, in one line for people who choose. */
  readonly about?: string | undefined;
  readonly entry: string;
  readonly configSchema: string;
  /** The forms of its ids, for checks of lists in the configuration. */
  readonly ids?: IdForms | undefined;
}

const ProvidedChannelSchema: z.ZodType<ProvidedChannel> = z.object({
  type: z.literal("channel"),
  id: z
    .string("a text is expected")
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "lower-case letters and digits are expected, in parts joined by dashes")
    .max(40, "at most 40 characters are allowed")
    .refine((id) => !RESERVED.includes(id), "this name is a key of the configuration"),
  about: lineOf(200).optional(),
  entry: inside,
  configSchema: inside,
  ids: IdFormsSchema.optional(),
});

/** A folder of skills, in the format of `docs/skills.md`. */
interface ProvidedSkills {
  readonly type: "skills";
  readonly path: string;
}

const ProvidedSkillsSchema: z.ZodType<ProvidedSkills> = z.object({ type: z.literal("skills"), path: inside });

/** A folder of prompts that become slash commands: Markdown files, as in `commands` of a workspace. For the owner alone. */
interface ProvidedPrompts {
  readonly type: "prompts";
  readonly path: string;
}

const ProvidedPromptsSchema: z.ZodType<ProvidedPrompts> = z.object({ type: z.literal("prompts"), path: inside });

/** A server of a package. */
export interface ProvidedServer<Kind extends "mcp" | "lsp" = "mcp" | "lsp"> {
  /** In `mcp.servers` or `lsp.servers`: with the name of the package before its own. */
  readonly name: string;
  /** Its program or address as the package writes it, in one line; text of others. */
  readonly shown: string;
  /** Tells versions of its settings apart. */
  readonly written: string;
  /** With the paths of the folder that the package is in. */
  readonly settings: Kind extends "mcp" ? McpServerConfig : LspServerConfig;
}

/** A file of MCP servers or language servers. */
interface ProvidedServers<Kind extends "mcp" | "lsp"> {
  readonly type: Kind;
  /** Path of the file. */
  readonly servers: string;
  /** What the file holds; empty until it is read. */
  readonly list: readonly ProvidedServer<Kind>[];
}

function providedServersSchema<Kind extends "mcp" | "lsp">(type: Kind): z.ZodType<ProvidedServers<Kind>> {
  return z.object({ type: z.literal(type), servers: inside }).transform(({ servers }) => ({ type, servers, list: [] }));
}

/** A tool of a plugin, as models see it. Nothing is run to know it. */
export interface ProvidedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonSchema;
  /** What its calls do; counts for trusted plugins alone. Default `write`. */
  readonly effect: "read" | "write";
}

/** The part of a plugin that all its entries of `provides` have. */
interface PluginPart {
  /** Id of the plugin in the configuration: entries of one package with the same id are one plugin. */
  readonly id: string;
  /** Exports `plugin`. */
  readonly entry: string;
  /** JSON Schema of `plugins.entries.<id>.config`. Absent: there are no settings. */
  readonly configSchema?: string | undefined;
}

/** Tools of a plugin. */
export interface ProvidedTools extends PluginPart {
  readonly type: "tools";
  readonly tools: readonly ProvidedTool[];
}

/** Handlers of hooks of a plugin. */
export interface ProvidedHooks extends PluginPart {
  readonly type: "hooks";
  readonly hooks: readonly { readonly name: HookName; readonly priority?: number | undefined }[];
}

/** Models of a plugin; its id is their provider's. */
export interface ProvidedModels extends PluginPart {
  readonly type: "models";
  readonly models: readonly ModelEntry[];
}

/** Slash commands of a plugin. */
export interface ProvidedCommands extends PluginPart {
  readonly type: "commands";
  readonly commands: readonly DeclaredCommand[];
}

/** A memory in place of the product's own. */
export interface ProvidedMemory extends PluginPart {
  readonly type: "memory";
}

/** Routes of a plugin below `/plugins/<id>`. */
export interface ProvidedRoutes extends PluginPart {
  readonly type: "routes";
  readonly routes: readonly DeclaredRoute[];
}

/** Bytes of the schema of one tool, which is in requests. */
const MAX_PARAMETERS_CHARS = 8_192;

const pluginPart = {
  id: z
    .string("a text is expected")
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "lower-case letters and digits are expected, in parts joined by dashes")
    .max(30, "at most 30 characters are allowed"),
  entry: inside,
  configSchema: inside.optional(),
};

/** Policies judge tools by their names: one of a plugin has the name of no other kind. */
const isForeignName = (name: string): boolean =>
  TOOL_NAMES.includes(name) || matchesTool("group:mcp", name) || matchesTool("group:lsp", name);

const ProvidedToolsSchema: z.ZodType<ProvidedTools> = z
  .object({
    type: z.literal("tools"),
    ...pluginPart,
    tools: z
      .array(
        z.object({
          name: z.string("a text is expected").regex(/^[a-z][a-z0-9_]{0,30}$/, "lower-case letters, digits and _ are expected, at most 31"),
          description: z.string("a text is expected").min(1, "a text is expected").max(1_000, "at most 1000 characters are allowed"),
          parameters: z
            .record(z.string(), z.json(), "a JSON Schema is expected")
            .refine((schema) => schema["type"] === "object", 'a JSON Schema of the type "object" is expected')
            .refine(
              (schema) => JSON.stringify(schema).length <= MAX_PARAMETERS_CHARS,
              `at most ${MAX_PARAMETERS_CHARS} characters are allowed`,
            ),
          effect: z.enum(["read", "write"], '"read" or "write" is expected').default("write"),
        }),
        "a list is expected",
      )
      .min(1, "the list is empty")
      .max(50, "at most 50 tools are allowed")
      .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, "two tools have the same name"),
  })
  .refine(({ id, tools }) => !tools.some(({ name }) => isForeignName(`${id}_${name}`)), {
    path: ["tools"],
    message: "the id and the name of a tool together are a name of the product's own tools or of language servers",
  });

const ProvidedHooksSchema: z.ZodType<ProvidedHooks> = z.object({
  type: z.literal("hooks"),
  ...pluginPart,
  hooks: z
    .array(
      z.object({
        name: z.string("a text is expected").refine(isHookName, `one of ${Object.keys(HOOKS).join(", ")} is expected`),
        priority: z.int("a whole number is expected").min(-1_000).max(1_000).optional(),
      }),
      "a list is expected",
    )
    .min(1, "the list is empty")
    .refine((hooks) => new Set(hooks.map(({ name }) => name)).size === hooks.length, "a hook is listed twice"),
});

const ProvidedModelsSchema: z.ZodType<ProvidedModels> = z.object({
  type: z.literal("models"),
  ...pluginPart,
  id: pluginPart.id.refine((id) => findProvider(id) === undefined, "this is the name of a provider that the product knows"),
  models: z
    .array(ModelEntrySchema, "a list is expected")
    .min(1, "the list is empty")
    .max(100, "at most 100 models are allowed")
    .refine(
      (models) => models.every(({ id }) => /^[\w.:/@+-]{1,100}$/.test(id)),
      "the id of a model has letters, digits and . _ : / @ + - alone",
    )
    .refine((models) => new Set(models.map(({ id }) => id)).size === models.length, "two models have the same id"),
});

const ProvidedCommandsSchema: z.ZodType<ProvidedCommands> = z.object({
  type: z.literal("commands"),
  ...pluginPart,
  commands: CommandsSchema,
});

const ProvidedMemorySchema: z.ZodType<ProvidedMemory> = z.object({ type: z.literal("memory"), ...pluginPart });

const ProvidedRoutesSchema: z.ZodType<ProvidedRoutes> = z.object({ type: z.literal("routes"), ...pluginPart, routes: RoutesSchema });

/** One thing that a package provides. */
export type Provided =
  | ProvidedChannel
  | ProvidedTools
  | ProvidedHooks
  | ProvidedModels
  | ProvidedMemory
  | ProvidedCommands
  | ProvidedRoutes
  | ProvidedSkills
  | ProvidedPrompts
  | ProvidedServers<"mcp">
  | ProvidedServers<"lsp">;

/** The types of extensions that this build supports, each with the schema of its entry in `provides`. A new type is a row here and a part that loads it. */
export const PROVIDED_TYPES: { readonly [Type in Provided["type"]]: z.ZodType<Extract<Provided, { readonly type: Type }>> } = {
  channel: ProvidedChannelSchema,
  tools: ProvidedToolsSchema,
  hooks: ProvidedHooksSchema,
  models: ProvidedModelsSchema,
  memory: ProvidedMemorySchema,
  commands: ProvidedCommandsSchema,
  routes: ProvidedRoutesSchema,
  skills: ProvidedSkillsSchema,
  prompts: ProvidedPromptsSchema,
  mcp: providedServersSchema("mcp"),
  lsp: providedServersSchema("lsp"),
};

/** The channels among what a package provides. */
export function providedChannels(provides: readonly Provided[]): readonly ProvidedChannel[] {
  return provides.filter((one) => one.type === "channel");
}

/** The servers of one kind among what a package provides. */
export function providedServers<Kind extends "mcp" | "lsp">(provides: readonly Provided[], kind: Kind): readonly ProvidedServer<Kind>[] {
  return provides.flatMap((one) => (one.type === kind ? (one.list as readonly ProvidedServer<Kind>[]) : []));
}

/** A thing that a package provides, in a few words. */
export function describePart(one: DescribedPart): string {
  switch (one.type) {
    case "channel":
      return `channel ${one.id}`;
    case "tools":
      return `tools of ${one.id} (${one.tools.join(", ")})`;
    case "hooks":
      return `hooks of ${one.id} (${one.hooks.join(", ")})`;
    case "models":
      return `models of ${one.id} (${one.models.join(", ")})`;
    case "memory":
      return `memory ${one.id}`;
    case "commands":
      return `commands of ${one.id} (${one.commands.join(", ")})`;
    case "routes":
      return `routes of ${one.id} (${one.routes.join(", ")})`;
    case "skills":
      return `skills in ${one.path}`;
    case "prompts":
      return `commands in ${one.path}`;
    case "mcp":
      return `MCP ${serversOf(one)}`;
    case "lsp":
      return `language ${serversOf(one)}`;
  }
}

function serversOf({ servers }: { readonly servers: readonly DescribedServer[] }): string {
  return `${servers.length === 1 ? "server" : "servers"} ${servers.map(({ name }) => name).join(", ")}`;
}

/** What lists show of a server. */
interface DescribedServer {
  readonly name: string;
  /** Its program or address, with the variables that it gets; text of others. */
  readonly runs: string;
}

/** What lists show of a thing that a package provides. */
export type DescribedPart =
  | { readonly type: "channel"; readonly id: string }
  | { readonly type: "tools"; readonly id: string; readonly tools: readonly string[] }
  | { readonly type: "hooks"; readonly id: string; readonly hooks: readonly string[] }
  | { readonly type: "models"; readonly id: string; readonly models: readonly string[] }
  | { readonly type: "memory"; readonly id: string }
  | { readonly type: "commands"; readonly id: string; readonly commands: readonly string[] }
  | { readonly type: "routes"; readonly id: string; readonly routes: readonly string[] }
  | ProvidedSkills
  | ProvidedPrompts
  | { readonly type: "mcp" | "lsp"; readonly servers: readonly DescribedServer[] };

/** The same without what only programs need. */
export function partOf(one: Provided): DescribedPart {
  switch (one.type) {
    case "channel":
      return { type: one.type, id: one.id };
    case "tools":
      return { type: one.type, id: one.id, tools: one.tools.map(({ name }) => name) };
    case "hooks":
      return { type: one.type, id: one.id, hooks: one.hooks.map(({ name }) => name) };
    case "models":
      return { type: one.type, id: one.id, models: one.models.map(({ id }) => id) };
    case "memory":
      return { type: one.type, id: one.id };
    case "commands":
      return { type: one.type, id: one.id, commands: one.commands.map(({ name }) => `/${name}`) };
    case "routes":
      return { type: one.type, id: one.id, routes: one.routes.map(describeRoute) };
    case "skills":
    case "prompts":
      return one;
    case "mcp":
    case "lsp":
      return { type: one.type, servers: one.list.map(describeServer) };
  }
}

function describeServer({ name, shown }: ProvidedServer): DescribedServer {
  return { name, runs: shown };
}

/** What a version provides that an earlier one did not, and that reaches further than its permissions say: channels, hooks, models, memories, skills, commands, routes that are new or newly public, and servers that are new or run otherwise. */
export function addedParts(before: readonly Provided[], after: readonly Provided[]): readonly DescribedPart[] {
  const known = before.map(partOf);
  return after.map(partOf).flatMap((part): readonly DescribedPart[] => {
    switch (part.type) {
      case "tools":
        return [];
      case "commands": {
        const old = known.flatMap((one) => (one.type === "commands" && one.id === part.id ? one.commands : []));
        const commands = part.commands.filter((name) => !old.includes(name));
        return commands.length === 0 ? [] : [{ ...part, commands }];
      }
      case "models":
        return known.some((one) => one.type === "models" && one.id === part.id) ? [] : [part];
      case "mcp":
      case "lsp": {
        const { type } = part;
        const old = providedServers(before, type);
        const changed = providedServers(after, type).filter(({ name, written }) =>
          old.every((server) => server.name !== name || server.written !== written),
        );
        const servers = part.servers.filter(({ name }) => changed.some((one) => one.name === name));
        return servers.length === 0 ? [] : [{ type, servers }];
      }
      case "hooks": {
        const old = known.flatMap((one) => (one.type === "hooks" && one.id === part.id ? one.hooks : []));
        const hooks = part.hooks.filter((name) => !old.includes(name));
        return hooks.length === 0 ? [] : [{ ...part, hooks }];
      }
      case "routes": {
        const old = known.flatMap((one) => (one.type === "routes" && one.id === part.id ? one.routes : []));
        const routes = addedRoutes(old, part.routes);
        return routes.length === 0 ? [] : [{ ...part, routes }];
      }
      default:
        return known.some((one) => describePart(one) === describePart(part)) ? [] : [part];
    }
  });
}
