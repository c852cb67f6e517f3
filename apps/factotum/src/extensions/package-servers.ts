import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { JsonValue } from "@factotum/agent-contract";
import { LspServerSchema, McpServerSchema, type LspServerConfig, type McpServerConfig } from "@factotum/config";
import * as z from "zod";
import { bearerVariable } from "./bearer-variable.ts";
import type { ProvidedServer } from "./provided-types.ts";

const MAX_BYTES = 256 * 1024;
const MAX_SERVERS = 50;

/** What stands for the folder of the package. */
const ROOT = /\$\{(?:CLAUDE_)?PLUGIN_ROOT\}/g;
const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/;

const Texts = z.array(z.string());
const Values = z.record(z.string(), z.string());

/** A program, with keys of other products left out. */
const ProgramSchema = z.object({
  command: z.string().min(1),
  args: Texts.default([]),
  env: Values.default({}),
  disabled: z.boolean().default(false),
});

const LocalSchema = ProgramSchema.extend({
  cwd: z.string().optional(),
  roots: z.string().optional(),
  toolFilter: Texts.optional(),
  timeoutMs: z.number().optional(),
});

const RemoteSchema = z.object({
  url: z.string(),
  type: z.string().optional(),
  transport: z.string().optional(),
  headers: Values.default({}),
  toolFilter: Texts.optional(),
  timeoutMs: z.number().optional(),
  disabled: z.boolean().default(false),
});

const LanguageSchema = ProgramSchema.extend({
  transport: z.literal("stdio", "only servers on standard input and output are supported").optional(),
  languages: Texts.optional(),
  extensions: Values.optional(),
  /** As bundles write it. */
  extensionToLanguage: Values.optional(),
  rootMarkers: Texts.optional(),
  initializationOptions: z.record(z.string(), z.unknown()).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});

/** A package whose servers are read. */
export interface ServerPackage {
  /** Absolute. */
  readonly folder: string;
  /** Begins the names of its servers. */
  readonly id: string;
}

/**
 * Reads a file of servers of a package, without running code of it: `mcpServers`, `servers`, or the servers by themselves. Rejects with an `Error` whose
 * message names the file: it is missing or no JSON, or a server is not valid, leads out of the package, or has a variable that this product does not have.
 */
export async function readServerFile<Kind extends "mcp" | "lsp">(
  kind: Kind,
  file: string,
  owner: ServerPackage,
): Promise<readonly ProvidedServer<Kind>[]> {
  return parseServers(kind, await readJson(join(owner.folder, file), file), { ...owner, file });
}

/** The same for what a manifest holds itself. */
export function parseServers<Kind extends "mcp" | "lsp">(
  kind: Kind,
  content: unknown,
  { file, ...owner }: ServerPackage & { readonly file: string },
): readonly ProvidedServer<Kind>[] {
  const listed = z.record(z.string(), z.record(z.string(), z.json())).safeParse(listOf(kind, content));
  if (!listed.success) throw new Error(`${file} is not a list of servers by name`);
  const entries = Object.entries(listed.data);
  if (entries.length > MAX_SERVERS) throw new Error(`${file} has ${entries.length} servers, and at most ${MAX_SERVERS} are allowed`);
  return entries.map(([name, entry]) => {
    try {
      if (!/^[A-Za-z0-9][\w.-]{0,39}$/.test(name)) throw new Error("its name has other characters than letters, digits, _, . and -");
      const settings = kind === "mcp" ? toMcp(entry, owner) : toLsp(name, entry, owner);
      return { name: `${owner.id}-${name}`, shown: shownOf(entry), written: JSON.stringify(entry), settings } as ProvidedServer<Kind>;
    } catch (cause) {
      const shown = /^[\w.-]{1,40}$/.test(name) ? ` ${name}` : "";
      throw new Error(`${file}: the server${shown} cannot be used: ${reasonOf(cause)}`, { cause });
    }
  });
}

/** Reads a JSON file of a package. Rejects with an `Error` that names it as `shown`. */
export async function readJson(path: string, shown: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new Error(`${shown} ${(cause as NodeJS.ErrnoException).code === "ENOENT" ? "is missing" : "cannot be read"}`, { cause });
  }
  if (text.length > MAX_BYTES) throw new Error(`${shown} is larger than ${MAX_BYTES} bytes`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${shown} is not JSON`, { cause });
  }
}

function listOf(kind: "mcp" | "lsp", content: unknown): unknown {
  if (typeof content !== "object" || content === null) return undefined;
  const wrapped = content as Readonly<Record<string, unknown>>;
  return kind === "mcp"
    ? (wrapped["mcpServers"] ?? wrapped["servers"] ?? content)
    : (wrapped["lspServers"] ?? wrapped["servers"] ?? content);
}

function toMcp(entry: Readonly<Record<string, JsonValue>>, owner: ServerPackage): McpServerConfig {
  if (!("command" in entry)) return toRemote(entry);
  const { command, args, env, cwd = ".", disabled, ...others } = LocalSchema.parse(entry);
  const program = { command: programIn(command, owner), args: args.map((word) => wordIn(word, owner)), env: variablesIn(env, owner) };
  // In the package, so that relative paths lead nowhere where the assistant writes.
  return McpServerSchema.parse({ ...others, ...program, cwd: insideOf(cwd, owner), enabled: !disabled });
}

function toRemote(entry: Readonly<Record<string, JsonValue>>): McpServerConfig {
  const { url, type, transport = type, headers, disabled, ...others } = RemoteSchema.parse(entry);
  if (url.includes("${")) throw new Error("its address has a variable, which is not supported");
  const [token] = Object.entries(headers).flatMap(([name, value]) => bearerVariable(name, value) ?? []);
  const plain = Object.entries(headers).filter(([name, value]) => bearerVariable(name, value) === undefined);
  return McpServerSchema.parse({
    ...others,
    url,
    ...(transport === "sse" ? { transport } : {}),
    headers: Object.fromEntries(plain.map(([name, value]) => [name, valueOf(name, value)])),
    ...(token === undefined ? {} : { auth: { env: token } }),
    enabled: !disabled,
  });
}

function toLsp(name: string, entry: Readonly<Record<string, JsonValue>>, owner: ServerPackage): LspServerConfig {
  const parsed = LanguageSchema.parse(entry);
  const { command, args, env, extensions = parsed.extensionToLanguage, initializationOptions, settings, rootMarkers } = parsed;
  const known = [...new Set(Object.values(extensions ?? {}))];
  return LspServerSchema.parse({
    command: programIn(command, owner),
    args: args.map((word) => wordIn(word, owner)),
    env: variablesIn(env, owner),
    languages: parsed.languages ?? (known.length > 0 ? known : [name]),
    extensions: extensions ?? {},
    ...(rootMarkers === undefined ? {} : { rootMarkers }),
    ...(initializationOptions === undefined ? {} : { initializationOptions: valuesIn(initializationOptions, owner) }),
    ...(settings === undefined ? {} : { settings: valuesIn(settings, owner) }),
    enabled: !parsed.disabled,
  });
}

/** A program: by its name as found on the PATH, by a path in the package, or by an absolute one. */
function programIn(command: string, owner: ServerPackage): string {
  if (command.startsWith("~")) throw new Error("its program is in a home folder");
  const replaced = rootIn(command, owner);
  return replaced.includes("/") && !isAbsolute(replaced) ? join(owner.folder, replaced) : replaced;
}

/** An argument; one that names a file of the package by a relative path gets its whole path. */
function wordIn(word: string, owner: ServerPackage): string {
  const replaced = rootIn(word, owner);
  if (isAbsolute(replaced) || replaced.startsWith("-") || !replaced.includes("/")) return replaced;
  const path = join(owner.folder, replaced);
  return replaced.startsWith("./") || existsSync(path) ? path : replaced;
}

function insideOf(path: string, owner: ServerPackage): string {
  const replaced = rootIn(path, owner);
  if (!isAbsolute(replaced)) return join(owner.folder, replaced);
  if (replaced === owner.folder || replaced.startsWith(`${owner.folder}/`)) return replaced;
  throw new Error("its working folder is outside of the package");
}

function variablesIn(env: Readonly<Record<string, string>>, owner: ServerPackage): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(env)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [name, VARIABLE.test(value) && !isRoot(value) ? valueOf(name, value) : rootIn(value, owner)]),
  );
}

/** A value that is a whole variable of the gateway, or plain text. */
function valueOf(name: string, value: string): unknown {
  const variable = VARIABLE.exec(value)?.[1];
  if (variable !== undefined) return { env: variable };
  if (value.includes("${")) throw new Error(`${name} puts a variable together with other text, which is not supported`);
  return value;
}

function valuesIn(value: unknown, owner: ServerPackage): unknown {
  if (typeof value === "string") return value.replaceAll(ROOT, owner.folder);
  if (Array.isArray(value)) return value.map((part) => valuesIn(part, owner));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, valuesIn(part, owner)]));
}

function isRoot(text: string): boolean {
  return text.replace(ROOT, "") === "";
}

function rootIn(text: string, { folder }: ServerPackage): string {
  const names = text.replaceAll(ROOT, "");
  if (names.includes("${")) throw new Error("it has a variable that is not supported; only ${PLUGIN_ROOT} is");
  if (/(?:^|[^\w.-])\.\.(?:[/\\]|$)/.test(text)) throw new Error("it has a path that leaves the package");
  return text.replaceAll(ROOT, () => folder);
}

/** What is run or asked, and which variables it gets. */
function shownOf(entry: Readonly<Record<string, JsonValue>>): string {
  const { command, args = [], url, env = {}, headers = {} } = entry;
  const place = typeof command === "string" ? [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ") : textOf(url);
  const given = Object.entries({ ...(env as object), ...(headers as object) }).map(([name, value]) => `${name}=${String(value)}`);
  return given.length === 0 ? place : `${place}; with ${given.join(", ")}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`;
  }
  return cause instanceof Error ? cause.message : "not valid";
}
