/** Grammars by name. */
const GRAMMARS = [
  "c",
  "cpp",
  "csharp",
  "css",
  "dart",
  "docker",
  "go",
  "haskell",
  "html",
  "ini",
  "java",
  "javascript",
  "json",
  "jsonc",
  "jsx",
  "kotlin",
  "lua",
  "make",
  "markdown",
  "php",
  "powershell",
  "python",
  "r",
  "ruby",
  "rust",
  "scala",
  "scss",
  "shellscript",
  "sql",
  "swift",
  "toml",
  "tsx",
  "typescript",
  "xml",
  "yaml",
] as const;

/** Name of a grammar. */
export type GrammarName = (typeof GRAMMARS)[number];

/** Other names that are used after a fence. */
const ALIASES: Readonly<Record<string, string>> = {
  "c#": "csharp",
  "c++": "cpp",
  bash: "shellscript",
  cc: "cpp",
  cjs: "javascript",
  conf: "ini",
  cs: "csharp",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  hpp: "cpp",
  hs: "haskell",
  htm: "html",
  js: "javascript",
  json5: "jsonc",
  kt: "kotlin",
  makefile: "make",
  md: "markdown",
  mjs: "javascript",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shellscript",
  shell: "shellscript",
  svg: "xml",
  ts: "typescript",
  yml: "yaml",
  zsh: "shellscript",
};

/** The grammar for the name after a fence; `undefined` if there is none. */
export function grammarOf(language: string): GrammarName | undefined {
  const name = language.toLowerCase();
  const grammar = ALIASES[name] ?? name;
  return isGrammarName(grammar) ? grammar : undefined;
}

function isGrammarName(name: string): name is GrammarName {
  return GRAMMARS.some((grammar) => grammar === name);
}
