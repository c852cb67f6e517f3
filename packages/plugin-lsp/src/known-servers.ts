import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { isObject } from "./is-object.ts";
import type { ServerProgram, ServerSettings } from "./server-settings.ts";

/** A program that may be installed. */
interface KnownProgram extends ServerProgram {
  /** The least major version of the npm package that the program is in; older ones are no language servers. */
  readonly minMajor?: number;
}

/** A well-known server: it is used if its program is found, and never installed. */
export interface KnownServer {
  readonly name: string;
  readonly languages: readonly string[];
  readonly rootMarkers: readonly string[];
  /** The first that is found is used. */
  readonly programs: readonly KnownProgram[];
  readonly initializationOptions?: JsonObject;
  readonly settings?: JsonObject;
}

/** A rename of an import renames what is imported, and no types are fetched by npm for packages that have none: nothing is installed unasked. */
const TYPESCRIPT = { preferences: { useAliasesForRenames: false }, disableAutomaticTypeAcquisition: true };

const STDIO = ["--stdio"];

/** The servers that are looked for, a row each. */
export const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    name: "typescript",
    languages: ["typescript", "typescriptreact", "javascript", "javascriptreact"],
    rootMarkers: ["tsconfig.json", "jsconfig.json", "package.json"],
    programs: [
      { command: "tsc", args: ["--lsp", "--stdio"], minMajor: 7 },
      { command: "typescript-language-server", args: STDIO },
    ],
    // The same for `typescript-language-server`, and for `tsc` by both of its names.
    initializationOptions: { disableAutomaticTypingAcquisition: true },
    settings: {
      typescript: TYPESCRIPT,
      javascript: TYPESCRIPT,
      "js/ts": { tsserver: { automaticTypeAcquisition: { enabled: false } } },
    },
  },
  {
    name: "python",
    languages: ["python"],
    rootMarkers: ["pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"],
    programs: [
      { command: "pyright-langserver", args: STDIO },
      { command: "basedpyright-langserver", args: STDIO },
      { command: "pylsp", args: [] },
    ],
  },
  {
    name: "bash",
    languages: ["shellscript"],
    rootMarkers: [],
    programs: [{ command: "bash-language-server", args: ["start"] }],
  },
  { name: "yaml", languages: ["yaml"], rootMarkers: [], programs: [{ command: "yaml-language-server", args: STDIO }] },
  { name: "json", languages: ["json", "jsonc"], rootMarkers: [], programs: [{ command: "vscode-json-language-server", args: STDIO }] },
  { name: "go", languages: ["go"], rootMarkers: ["go.work", "go.mod"], programs: [{ command: "gopls", args: [] }] },
  { name: "rust", languages: ["rust"], rootMarkers: ["Cargo.toml"], programs: [{ command: "rust-analyzer", args: [] }] },
  {
    name: "cpp",
    languages: ["cpp", "c"],
    rootMarkers: ["compile_commands.json", "compile_flags.txt", ".clangd"],
    programs: [{ command: "clangd", args: [] }],
  },
  { name: "lua", languages: ["lua"], rootMarkers: [".luarc.json"], programs: [{ command: "lua-language-server", args: [] }] },
  { name: "ruby", languages: ["ruby"], rootMarkers: ["Gemfile"], programs: [{ command: "ruby-lsp", args: [] }] },
  { name: "zig", languages: ["zig"], rootMarkers: ["build.zig"], programs: [{ command: "zls", args: [] }] },
];

/** What is known of a language, for a server whose settings do not say it: root markers, initialization options, and settings, one by one. */
export function withKnownDefaults(settings: ServerSettings): ServerSettings {
  const known = KNOWN_SERVERS.find(({ languages }) => languages[0] === settings.languages[0]);
  if (known === undefined) return settings;
  return {
    ...settings,
    rootMarkers: settings.rootMarkers.length > 0 ? settings.rootMarkers : known.rootMarkers,
    initializationOptions: withDefaults(settings.initializationOptions, known.initializationOptions),
    settings: withDefaults(settings.settings, known.settings) as JsonObject,
  };
}

/** Merges defaults into a value, at every level; the value wins. */
function withDefaults(value: JsonValue | undefined, defaults: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value) || !isObject(defaults)) return value ?? defaults;
  const names = Object.keys({ ...defaults, ...value });
  return Object.fromEntries(names.map((name) => [name, withDefaults(value[name] as JsonValue, defaults[name] as JsonValue)])) as JsonObject;
}
