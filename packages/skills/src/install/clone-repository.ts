import { execFile } from "node:child_process";
import { SkillInstallError } from "./install-error.ts";

const CLONE_MS = 5 * 60_000;

/** The user's own settings of the network and of SSH, and none of the keys of this process. */
const PASSED = /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/** Settings that could run a program of the repository's or the user's choice while files are checked out. */
const QUIET = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "init.templateDir=",
  "submodule.recurse=false",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.http.allow=always",
  "protocol.ssh.allow=always",
  "protocol.git.allow=always",
  "protocol.file.allow=always",
  "filter.lfs.smudge=",
  "filter.lfs.process=",
  "filter.lfs.required=false",
].flatMap((setting) => ["-c", setting]);

/** A repository to be cloned. */
export interface Repository {
  readonly url: string;
  /** A branch or a tag. Absent: the default branch. */
  readonly ref?: string;
}

/**
 * Clones a repository with the git of the system, the newest commit alone, and resolves with the commit's hash. No hook, filter, submodule or helper runs, and
 * nothing is asked for. Rejects with a SkillInstallError that has git's reason.
 */
export async function cloneRepository(
  { url, ref }: Repository,
  folder: string,
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<string> {
  const options = { env, signal };
  const branch = ref === undefined ? [] : ["--branch", ref];
  await runGit([...QUIET, "clone", "--quiet", "--depth=1", "--no-recurse-submodules", ...branch, "--", url, folder], options);
  return (await runGit(["-C", folder, "rev-parse", "HEAD"], options)).trim();
}

function runGit(
  args: readonly string[],
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
  const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_LFS_SKIP_SMUDGE: "1" };
  const ssh = { GIT_SSH_COMMAND: "ssh -oBatchMode=yes" };
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      args,
      { env: { ...own, ...quiet, ...ssh }, encoding: "utf8", timeout: CLONE_MS, signal, maxBuffer: 1024 ** 2 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.code === "ENOENT")
          reject(
            new SkillInstallError("git is needed to install from a repository, and it was not found.", {
              fix: "Install git, or download the skill and install the folder or the archive.",
              cause: error,
            }),
          );
        else
          reject(
            new SkillInstallError(`git could not fetch the repository: ${reasonOf(stderr)}`, {
              fix: "Check the address and the branch. Nothing was installed.",
              cause: error,
            }),
          );
      },
    );
  });
}

function reasonOf(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => /^(?:fatal|error): (.+)$/.exec(line)?.[1]?.trim() ?? []);
  return lines.slice(0, 2).join(" ") || stderr.trim().slice(0, 300) || "it ended without a message";
}
