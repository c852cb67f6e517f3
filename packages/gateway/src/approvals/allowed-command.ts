/**
 * Programs that run other programs, or code that their arguments hold: a pattern covers such a call only if it spells every word out. Otherwise `env *` would
 * allow everything.
 */
const RUNNERS = new Set(
  (
    "sh bash dash zsh ksh fish csh tcsh busybox env sudo doas su runuser chroot unshare nsenter setpriv setsid nohup nice ionice taskset time timeout " +
    "stdbuf script expect watch xargs parallel strace ltrace gdb valgrind flock ssh scp sftp rsync docker podman kubectl systemd-run at batch crontab make " +
    "python perl ruby node deno bun php lua Rscript julia tclsh guile awk gawk mawk nawk m4 sed ed ex vi vim nvim emacs less more man " +
    "npx npm pnpm yarn pip uv cargo go rake just cmake ninja mvn gradle ant java jshell dotnet eval exec source . " +
    "socat nc ncat tmux screen dc sqlite3 psql mysql gnuplot bwrap firejail prlimit chrt choom numactl cpulimit start-stop-daemon run-parts dbus-run-session"
  ).split(" "),
);

/** Options that make a program run another one, write to any file or load code, by program; `*` at the end matches any ending. */
const RISKY_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  find: ["-exec*", "-ok*", "-delete", "-fprint*", "-fls"],
  git: [
    "-c",
    "-c*",
    "--config-env*",
    "--exec-path*",
    "--upload-pack*",
    "--receive-pack*",
    "--exec*",
    "-x",
    "--ext-diff",
    "--textconv",
    "--open-files-in-pager*",
    "-O*",
    "--output*",
    "-p",
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
  sort: ["-o*", "--output*", "--compress-program*", "-T*"],
  zip: ["-TT*", "-T*", "--unzip-command*"],
  fd: ["-x", "-X", "--exec*"],
  rg: ["--pre", "--pre=*", "--hostname-bin*"],
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

function isRunner(program: string): boolean {
  const name = nameOf(program);
  return RUNNERS.has(name) || RUNNERS.has(name.replace(/[0-9.]+$/, ""));
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
