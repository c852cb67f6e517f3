// System programs for end-to-end tests and for tests against servers that others wrote: installed if this process may install them, otherwise those tests are skipped with a message. With `--required`
// (continuous integration) a missing program is a failure.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

interface Requirement {
  /** Names of the program; one of them is enough. */
  readonly programs: readonly string[];
  /** Debian's package, or several. */
  readonly debian: string;
  readonly tests: string;
  /** These tests fail without it: what they show cannot be shown otherwise. */
  readonly isRequired?: true;
}

const REQUIREMENTS: readonly Requirement[] = [
  { programs: ["chromium", "chromium-browser", "google-chrome"], debian: "chromium", tests: "the browser tests" },
  {
    programs: ["chromium-headless-shell"],
    debian: "chromium-headless-shell",
    tests: "no tests, but those of the page take twice the CPU time",
  },
  { programs: ["nginx"], debian: "nginx-light", tests: "the tests behind nginx" },
  { programs: ["caddy"], debian: "caddy", tests: "the tests behind Caddy" },
  { programs: ["ngircd"], debian: "ngircd", tests: "the conformance tests against ngircd" },
  { programs: ["dovecot"], debian: "dovecot-imapd dovecot-lmtpd", tests: "the conformance tests against Dovecot and Exim" },
  { programs: ["exim4"], debian: "exim4-daemon-light", tests: "the conformance tests against Dovecot and Exim" },
  { programs: ["curl"], debian: "curl", tests: "the documents' commands with curl" },
  { programs: ["bwrap"], debian: "bubblewrap", tests: "the tests of the sandbox", isRequired: true },
  { programs: ["python3"], debian: "python3", tests: "the tests of the sandbox", isRequired: true },
  { programs: ["rg"], debian: "ripgrep", tests: "the tests of grep with ripgrep", isRequired: true },
  { programs: ["espeak-ng"], debian: "espeak-ng", tests: "the test of answers that espeak-ng speaks" },
  { programs: ["jq"], debian: "jq", tests: "the documents' commands with jq" },
];

/** Queried before a package starts its service; 101 forbids it. */
const SERVICE_POLICY = "/usr/sbin/policy-rc.d";

const isOnPath = (name: string): boolean =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && ["ENOENT", "EACCES", "ENOTDIR"].includes(String(error.code))) return false;
      throw error;
    }
  });

const isMissing = ({ programs }: Requirement): boolean => !programs.some(isOnPath);

function install(packages: readonly string[]): void {
  console.log(`Installing ${packages.join(", ")} for the end-to-end tests …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // A web server that is installed for tests serves nothing.
  const setsPolicy = !existsSync(SERVICE_POLICY);
  if (setsPolicy) writeFileSync(SERVICE_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
      const { status } = spawnSync("apt-get", ["-q", ...args], { env, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 });
      if (status !== 0) return;
    }
  } finally {
    if (setsPolicy) rmSync(SERVICE_POLICY, { force: true });
  }
}

const missing = REQUIREMENTS.filter(isMissing);
if (missing.length > 0 && process.getuid?.() === 0 && isOnPath("apt-get")) install(missing.flatMap(({ debian }) => debian.split(" ")));
for (const { programs, debian, tests, isRequired } of REQUIREMENTS.filter(isMissing)) {
  console.log(
    `${programs.join(", ")} not found: ${tests} ${isRequired === true ? "fail" : "are skipped"}. On Debian: apt-get install ${debian}`,
  );
  if (process.argv.includes("--required")) process.exitCode = 1;
}
