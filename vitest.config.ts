import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { ROOT, workspaceFolders } from "./scripts/workspace.ts";

const TESTS = ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts"];

/**
 * Whose test files get a process of their own each: those that change a module under others. Elsewhere no module keeps state, so files share what was loaded:
 * to load it for each of them was a third of the time.
 */
const needsIsolation = (folder: string): boolean =>
  globSync(TESTS, { cwd: join(ROOT, folder) }).some((file) => readFileSync(join(ROOT, folder, file), "utf8").includes("vi.mock("));

/** One project a package, named after its folder; `repo` for what holds over the whole tree, which it reads; `scripts` for those beside it. */
const projects = workspaceFolders().map((folder) => ({
  extends: true as const,
  test: {
    name: basename(folder),
    root: join(ROOT, folder),
    include: TESTS,
    isolate: needsIsolation(folder),
  },
}));

export default defineConfig({
  resolve: { conditions: ["factotum-source"] },
  ssr: { resolve: { conditions: ["factotum-source"] } },
  test: {
    // One more than the cores of the smallest machine on which they have to finish in time: some wait for processes and timeouts.
    maxWorkers: 3,
    projects: [
      ...projects,
      { extends: true, test: { name: "repo", root: join(ROOT, "scripts"), include: ["repo-checks/**/*.test.ts"] } },
      { extends: true, test: { name: "scripts", root: join(ROOT, "scripts"), include: ["{bootstrap,gates,mutants,new}/**/*.test.ts"] } },
    ],
    environment: "node",
    // Compiled code of the programs that tests start: without it their starts take a third more CPU time.
    env: { NODE_COMPILE_CACHE: join(ROOT, "node_modules/.factotum/compiled") },
    // They end what hangs; a busy machine must not reach them. A test says another number only where it is more.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A machine that stands still for seconds can break what a test waits for; a fault fails twice, and the run lists what passed only then.
    retry: process.env["CI"] === undefined ? 0 : 1,
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: "v8", include: ["{packages,extensions,plugins,apps}/*/src/**/*.{ts,tsx}"] },
  },
});
