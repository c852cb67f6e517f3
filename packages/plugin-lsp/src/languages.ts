import { basename, extname } from "node:path";
import type { ServerSettings } from "./server-settings.ts";

/** The ends of file names by language id, and whole names of files without one. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  typescript: [".ts", ".mts", ".cts"],
  typescriptreact: [".tsx"],
  javascript: [".js", ".mjs", ".cjs"],
  javascriptreact: [".jsx"],
  python: [".py", ".pyi"],
  shellscript: [".sh", ".bash"],
  yaml: [".yaml", ".yml"],
  json: [".json"],
  jsonc: [".jsonc"],
  go: [".go"],
  rust: [".rs"],
  c: [".c", ".h"],
  cpp: [".cc", ".cpp", ".cxx", ".hh", ".hpp"],
  css: [".css"],
  html: [".html", ".htm"],
  lua: [".lua"],
  ruby: [".rb"],
  php: [".php"],
  java: [".java"],
  kotlin: [".kt", ".kts"],
  csharp: [".cs"],
  zig: [".zig"],
  swift: [".swift"],
};

/** Language ids by the ends of file names, for the files of a server. */
export function languagesByExtension({
  languages,
  extensions,
}: Pick<ServerSettings, "languages" | "extensions">): ReadonlyMap<string, string> {
  return new Map([
    ...languages.flatMap((id) => (EXTENSIONS[id] ?? []).map((extension) => [extension, id] as const)),
    ...Object.entries(extensions).map(([extension, id]) => [extension.toLowerCase(), id] as const),
  ]);
}

/** The key of a file in `languagesByExtension`. */
export function extensionOf(path: string): string {
  return extname(basename(path)).toLowerCase();
}
