import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "./environment.mjs";
import { ROOT, STATE } from "./root.mjs";
import { run } from "./run.mjs";

const STAMP = join(STATE, "build");
const INPUTS = ["packages", "extensions", "apps/factotum", "apps/web"];
const NOT_INPUTS = /^(node_modules|dist|test|e2e|coverage|\..*|.*\.test(-d)?\.tsx?)$/;

/**
 * Builds the product if a file that goes into it changed since the last build. Names, sizes and times decide whether the task runner
 * is asked at all, which costs a few milliseconds; the task runner then compares contents.
 *
 * @param {{ node: string, installStamp: string }} options
 */
export async function buildProduct({ node, installStamp }) {
  const product = join(ROOT, "apps/factotum/dist/factotum.mjs");
  const before = fingerprint(installStamp);
  if (existsSync(product) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === before) return;
  process.stderr.write("Building …\n");
  await run(["turbo", "run", "build", "--filter=factotum", "--output-logs=errors-only", "--ui=stream"], {
    env: environment(node, { tool: true }),
    cwd: ROOT,
    stdoutToStderr: true,
  });
  mkdirSync(STATE, { recursive: true });
  // The state of before the build: a file that was saved while it ran makes the next start build again.
  writeFileSync(STAMP, before);
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
