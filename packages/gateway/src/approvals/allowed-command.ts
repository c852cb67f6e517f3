import { isRunner } from "@factotum/tools";

/** Options that make a program run another one, write to any file, read the files that a list names, or load code, by program; `*` at the end matches any ending. */
const RISKY_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  find: ["-exec*", "-ok*", "-delete", "-fprint*", "-fls"],
  git: [
    "-c*",
    "--config-env*",
    "--upload-pack*",
    "--receive-pack*",
    "--exec*",
    "-x",
    "--ext-diff",
    "--textconv",
    "--open-files-in-pager*",
    "-O*",
    "--output*",
    "--paginate",
  ],
  tar: [
    "--to-command*",
    "--checkpoint-action*",
    "--use-compress-program*",
    "-I*",
    "--rsh-command*",
    "--rmt-command*",
    "-F*",
    "--info-script*",
    "--new-volume-script*",
    "-T*",
    "--files-from*",
  ],
  curl: [
    "-o*",
    "-O*",
    "--output*",
    "--remote-name*",
    "-K*",
    "--config*",
    "-T*",
    "--upload-file*",
    "-d*",
    "--data*",
    "--json*",
    "--url-query*",
    "-F*",
    "--form*",
    "-D*",
    "--dump-header*",
    "-c*",
    "--cookie-jar*",
    "--trace*",
    "--stderr*",
    "--libcurl*",
    "--etag-save*",
    "--hsts*",
    "--alt-svc*",
  ],
  wget: [
    "-O*",
    "--output*",
    "--post*",
    "--body*",
    "--use-askpass*",
    "-e*",
    "--execute*",
    "-i*",
    "--input-file*",
    "--config*",
    "-o*",
    "-a*",
  ],
  sort: ["-o*", "--output*", "--compress-program*", "-T*", "--files0-from*"],
  wc: ["--files0-from*"],
  du: ["--files0-from*"],
  file: ["-f*", "--files-from*"],
  zip: ["-T*", "--unzip-command*"],
  fd: ["-x", "-X", "--exec*"],
  rg: ["--pre", "--hostname-bin*"],
  split: ["--filter*"],
  tree: ["-o*"],
};

/**
 * True if one of the patterns covers a command. A pattern is words; `*` in a word matches any characters of that word except `..` as a folder, and a last word `*` any number of further
 * words. The name of a program matches exactly, without a folder. Wildcards cover neither options that run other programs nor programs that exist to do so, nor
 * `reservedWords`, which name files of the gateway itself: a command on them would change what the assistant may do, or read its secrets.
 */
export function isAllowedCommand(argv: readonly string[], patterns: readonly string[], reservedWords: readonly string[] = []): boolean {
  return patterns.some((pattern) => covers(pattern.trim().split(/\s+/), argv, reservedWords));
}

function covers(pattern: readonly string[], argv: readonly string[], reservedWords: readonly string[]): boolean {
  const [name = "", ...expected] = pattern;
  const [program = "", ...args] = argv;
  if (name === "" || name !== program) return false;
  const isOpen = expected.at(-1) === "*";
  const fixed = isOpen ? expected.slice(0, -1) : expected;
  if (isOpen ? args.length < fixed.length : args.length !== fixed.length) return false;
  return args.every((arg, index) => {
    const word = fixed[index] ?? "*";
    if (word === arg) return true;
    if (reservedWords.includes(arg)) return false;
    if (!word.includes("*") || isRunner(program) || isRisky(program, optionOf(program, arg, index))) return false;
    return matchesWord(word, arg) && (word === "*" || !leavesFolder(arg));
  });
}

/** The first argument of `tar` may hold its options without a dash. */
function optionOf(program: string, arg: string, index: number): string {
  return nameOf(program) === "tar" && index === 0 && !arg.startsWith("-") ? `-${arg}` : arg;
}

/** Below the folder that a pattern names, `..` would lead out of it again. */
function leavesFolder(arg: string): boolean {
  return arg.split("/").includes("..");
}

function isRisky(program: string, arg: string): boolean {
  const name = nameOf(program);
  if (!arg.startsWith("-")) return false;
  const risky = Object.hasOwn(RISKY_OPTIONS, name) ? (RISKY_OPTIONS[name] ?? []) : [];
  // Short options can be combined: the risky one may be any letter of the word.
  const isCombined = /^-[^-]{2,}/.test(arg);
  return risky.some((option) => {
    if (matchesWord(option, arg) || abbreviates(arg, option)) return true;
    return isCombined && /^-[^-]\*?$/.test(option) && arg.includes(option.charAt(1));
  });
}

/** Programs accept the beginning of a long option for it: `--outp=file`. */
function abbreviates(arg: string, option: string): boolean {
  const [written = ""] = arg.split("=", 1);
  return /^--[^-]/.test(written) && option.replace(/[=*]+$/, "").startsWith(written);
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function matchesWord(pattern: string, word: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return first === word;
  const last = rest.at(-1) ?? "";
  if (!word.startsWith(first) || !word.endsWith(last) || word.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const at = word.indexOf(part, from);
    if (at === -1 || at + part.length > word.length - last.length) return false;
    from = at + part.length;
  }
  return true;
}
