import type { JsonObject } from "@factotum/agent-contract";
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
  readonly settings?: JsonObject;
}

/** A rename of an import renames what is imported. */
const NO_ALIASES = { preferences: { useAliasesForRenames: false } };

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
    settings: { typescript: NO_ALIASES, javascript: NO_ALIASES },
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

/** What is known of a language, for a server whose settings do not say it: root markers, and sections of settings. */
export function withKnownDefaults(settings: ServerSettings): ServerSettings {
  const known = KNOWN_SERVERS.find(({ languages }) => languages[0] === settings.languages[0]);
  if (known === undefined) return settings;
  const rootMarkers = settings.rootMarkers.length > 0 ? settings.rootMarkers : known.rootMarkers;
  return { ...settings, rootMarkers, settings: { ...known.settings, ...settings.settings } };
}
