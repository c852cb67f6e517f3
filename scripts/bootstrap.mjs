// From a bare clone to a running command with only Node 20 and npm: installs what the lock file lists, builds what changed, and runs everything under Node 24.
// It has no dependencies and asks nothing.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { environment, fail, ROOT, run, STATE } from "./bootstrap/process.mjs";

const USAGE = `Usage: node scripts/bootstrap.mjs <command>

  start [options]      install and build what changed, then run the gateway
  factotum [arguments] the same, then run the factotum command
  test [gates]         run the gates (all, or the named ones)
  exec <command …>     run a command in the repository's environment
`;

const INSTALL_STAMP = join(STATE, "install");
const GROUPS = ["packages", "extensions", "plugins", "apps"];
const BUILD_STAMP = join(STATE, "build");
const INPUTS = ["packages", "extensions", "apps/factotum", "apps/web"];
const NOT_INPUTS = /^(node_modules|dist|test|e2e|coverage|\..*|.*\.test(-d)?\.tsx?)$/;
const OLDEST = [24, 16];

const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case "start":
    await product(["gateway", "run", "--setup", ...rest]);
    break;
  case "factotum":
    await product(rest);
    break;
  case "test":
    await tool((node) => [node, join(ROOT, "scripts/gates.ts"), ...rest]);
    break;
  case "exec":
    if (rest.length === 0) fail("exec needs a command.", USAGE);
    await tool(() => rest);
    break;
  default:
    fail(command === undefined ? "A command is missing." : `There is no command "${command}".`, USAGE);
}

/** @param {string[]} args */
async function product(args) {
  const { node, stamp } = await prepare();
  await buildProduct({ node, installStamp: stamp });
  const script = join(ROOT, "apps/factotum/dist/factotum.mjs");
  await run([node, script, ...args], { env: environment(node), exit: true });
}

/** @param {(node: string) => string[]} commandFor */
async function tool(commandFor) {
  const { node } = await prepare();
  await run(commandFor(node), { env: environment(node, { tool: true }), exit: true });
}

async function prepare() {
  const stamp = await install();
  return { node: findNode(), stamp };
}

/**
 * Installs the dependencies if a manifest, the lock file or the workspace file changed since the last time.
 *
 * @returns {Promise<string>} the hash of all of them
 */
async function install() {
  const hash = hashOf(["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests()]);
  if (existsSync(INSTALL_STAMP) && readFileSync(INSTALL_STAMP, "utf8") === hash) return hash;
  process.stderr.write("Installing dependencies …\n");
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  await run(["npx", "-y", packageManager, "install", "--frozen-lockfile"], {
    env: { ...environment(undefined), CI: "true" },
    cwd: ROOT,
    stdoutToStderr: true,
  });
  mkdirSync(STATE, { recursive: true });
  writeFileSync(INSTALL_STAMP, hash);
  return hash;
}

function manifests() {
  return GROUPS.flatMap((group) => {
    const folder = join(ROOT, group);
    return existsSync(folder) ? readdirSync(folder).map((name) => `${group}/${name}/package.json`) : [];
  }).filter((file) => existsSync(join(ROOT, file)));
}

/** @param {string[]} files */
function hashOf(files) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  return hash.digest("hex");
}

/**
 * Builds the product if a file that goes into it changed since the last build. Names, sizes and times decide whether the task runner
 * is asked at all, which costs a few milliseconds; the task runner then compares contents.
 *
 * @param {{ node: string, installStamp: string }} options
 */
async function buildProduct({ node, installStamp }) {
  const product = join(ROOT, "apps/factotum/dist/factotum.mjs");
  const before = fingerprint(installStamp);
  if (existsSync(product) && existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, "utf8") === before) return;
  process.stderr.write("Building …\n");
  await run(["turbo", "run", "build", "--filter=factotum", "--output-logs=errors-only", "--ui=stream"], {
    env: environment(node, { tool: true }),
    cwd: ROOT,
    stdoutToStderr: true,
  });
  mkdirSync(STATE, { recursive: true });
  // The state of before the build: a file that was saved while it ran makes the next start build again.
  writeFileSync(BUILD_STAMP, before);
}

/** @param {string} seed */
function fingerprint(seed) {
  const hash = createHash("sha256").update(seed);
  for (const input of INPUTS) addFolder(hash, input);
  return hash.digest("hex");
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} folder relative to the root
 */
function addFolder(hash, folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter(({ name }) => !NOT_INPUTS.test(name));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      addFolder(hash, path);
    } else {
      const { size, mtimeMs } = statSync(join(ROOT, path));
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  }
}

/**
 * The Node that runs everything after the installation: the one that was installed for this platform, else a recent enough one from
 * PATH. Ends the process, saying how to get one, if there is none.
 *
 * @returns {string} the path of its binary
 */
function findNode() {
  const installed = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  // A musl system cannot start the installed binary, so there it must show that it runs.
  if (existsSync(installed) && (!isMusl() || isRecent(versionOf(installed)))) return installed;
  if (isRecent(process.versions.node)) return process.execPath;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const candidate = join(folder, "node");
    if (existsSync(candidate) && isRecent(versionOf(candidate))) return candidate;
  }
  return fail(
    `Factotum runs on Node ${OLDEST.join(".")} or newer, and npm has none for ${process.platform} on ${process.arch}.`,
    [
      `The Node in PATH is ${process.versions.node}. Install a newer one and start again:`,
      '  macOS with Homebrew:  brew install node@24 && PATH="$(brew --prefix node@24)/bin:$PATH"',
      "  with nvm:             nvm install 24 && nvm use 24",
      "  with fnm:             fnm install 24 && fnm use 24",
      "  Alpine:               apk add nodejs-current",
    ].join("\n"),
  );
}

function isMusl() {
  return process.platform === "linux" && existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`);
}

/** @param {string} binary */
function versionOf(binary) {
  const { stdout, status } = spawnSync(binary, ["-p", "process.versions.node"], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout.trim() : "0.0.0";
}

/** @param {string} version */
function isRecent(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
