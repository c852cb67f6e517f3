import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "./environment.mjs";
import { ROOT, STATE } from "./root.mjs";
import { run } from "./run.mjs";

const STAMP = join(STATE, "install");
const GROUPS = ["packages", "extensions", "apps"];

/**
 * Installs the dependencies if a manifest, the lock file or the workspace file changed since the last time.
 *
 * @returns {Promise<string>} the hash of all of them
 */
export async function install() {
  const hash = hashOf(["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests()]);
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === hash) return hash;
  process.stderr.write("Installing dependencies …\n");
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  await run(["npx", "-y", packageManager, "install", "--frozen-lockfile"], {
    env: { ...environment(undefined), CI: "true" },
    cwd: ROOT,
    stdoutToStderr: true,
  });
  mkdirSync(STATE, { recursive: true });
  writeFileSync(STAMP, hash);
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
