/** Programs that run the file which their first argument names. */
const INTERPRETERS =
  "sh bash dash ash zsh ksh mksh fish csh tcsh pwsh osascript python pypy perl ruby node nodejs deno bun php lua Rscript julia tclsh guile";

/**
 * Programs that run other programs, or code that their arguments hold. Names without a version: `python3.12` is `python`. A list cannot be complete; patterns of
 * `tools.exec.allow` name the programs that an owner allows.
 */
const RUNNERS = new Set(
  (
    `${INTERPRETERS} busybox env sudo doas su runuser chroot unshare nsenter setpriv setsid nohup nice ionice taskset time timeout ` +
    "stdbuf script expect watch xargs parallel strace ltrace gdb valgrind flock ssh scp sftp rsync docker podman kubectl systemd-run at batch crontab make " +
    "awk gawk mawk nawk m4 sed ed ex vi vim nvim emacs less more man " +
    "npx npm pnpm yarn pip uv cargo go rake just cmake ninja mvn gradle ant java jshell dotnet eval exec source . command builtin " +
    "socat nc ncat tmux screen dc sqlite3 psql mysql gnuplot bwrap firejail prlimit chrt choom numactl cpulimit start-stop-daemon run-parts dbus-run-session"
  ).split(" "),
);

const INTERPRETER_NAMES = new Set([...INTERPRETERS.split(" "), "source", "."]);

/** True for a program that runs others, by the word that calls it. */
export function isRunner(program: string): boolean {
  return includes(RUNNERS, program);
}

/** True for a program that runs the file which its first argument names, if that is no option. */
export function isInterpreter(program: string): boolean {
  return includes(INTERPRETER_NAMES, program);
}

function includes(names: ReadonlySet<string>, program: string): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  return names.has(name) || names.has(name.replace(/[0-9.]+$/, ""));
}
