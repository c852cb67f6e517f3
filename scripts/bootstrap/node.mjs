import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fail } from "./fail.mjs";
import { ROOT } from "./root.mjs";

const OLDEST = [24, 16];

/**
 * The Node that runs everything after the installation: the one that was installed for this platform, else a recent enough one from
 * PATH. Ends the process, saying how to get one, if there is none.
 *
 * @returns {string} the path of its binary
 */
export function findNode() {
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
      '  macOS with Homebrew:  brew install node@24 && export PATH="$(brew --prefix node@24)/bin:$PATH"',
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
