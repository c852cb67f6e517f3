// The browser of the end-to-end tests: installed where this process may install it, otherwise those tests are skipped, aloud. With
// `--required` (continuous integration) a missing browser is a failure.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

const isOnPath = (name: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && ["ENOENT", "EACCES", "ENOTDIR"].includes(String(error.code))) return false;
      throw error;
    }
  });

const hasBrowser = (): boolean => BROWSERS.some(isOnPath);

function installBrowser(): void {
  console.log("Installing chromium for the browser tests …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", ["-q", ...args], { env, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 });
    if (status !== 0) return;
  }
}

if (!hasBrowser() && process.getuid?.() === 0 && isOnPath("apt-get")) installBrowser();
if (!hasBrowser()) {
  console.log(`No browser found (${BROWSERS.join(", ")}): the browser tests are skipped. On Debian: apt-get install chromium`);
  if (process.argv.includes("--required")) process.exitCode = 1;
}
