import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRequest, RunFacts } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { createRunRoots } from "./run-roots.ts";
import { createServerHost, createServerRunner } from "./server-runner.ts";

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => logger };
const BWRAP = "bwrap";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "server-runner-")));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

/** Installs two packages as the command does, and gives the program of the one, which needs the other. */
async function installKit(home: string): Promise<string> {
  const packages = join(home, "extensions", "project-1", "node_modules");
  for (const name of ["kit", "helper"]) await mkdir(join(packages, name), { recursive: true });
  await writeFile(join(packages, "helper", "word"), "helped");
  await writeFile(join(packages, "kit", "server.sh"), 'cat "${0%/kit/*}/helper/word"');
  return join(packages, "kit", "server.sh");
}

test.runIf(process.platform === "linux" && hasBubblewrap())(
  "a server of an installed package finds in its sandbox what the package depends on, and nothing else of the state",
  { timeout: 60_000 },
  async () => {
    const [home, workspace] = [join(folder, "home"), join(folder, "workspace")];
    await mkdir(workspace, { recursive: true });
    const program = await installKit(home);
    await writeFile(join(home, "secret.txt"), "mine");
    const loaded = await loadConfig({ env: { FACTOTUM_HOME: home, HOME: folder }, channels: [] });
    if (loaded.type !== "loaded") throw new Error("refused");
    const context = { env: { PATH: process.env["PATH"] ?? "" }, paths: loaded.paths, platform: process.platform };
    const system = { clock: systemClock, random: systemRandom, logger, currentConfig: () => loaded.config };
    const host = createServerHost(context, { ...system, recordFolder: join(folder, "records") });
    const roots = createRunRoots(loaded.paths, () => loaded.config);
    const runner = createServerRunner(context, { path: loaded.path }, { ...system, roots, host });
    const run: RunFacts = {
      runId: "mcp",
      kind: "user",
      agentId: loaded.config.defaultAgentId,
      sessionKey: "",
      sessionId: "mcp",
      workspace,
      owner: true,
      timeZone: "UTC",
      sandbox: { workspaceAccess: "ro", shared: false },
    };
    const say = async (text: string): Promise<string> => {
      const request: CommandRequest = {
        command: { type: "shell", text },
        cwd: workspace,
        env: {},
        timeoutMs: 30_000,
        maxOutputBytes: 8_000,
      };
      return (await runner.run(request, { run, signal: new AbortController().signal, onOutput: () => undefined })).output.trim();
    };
    try {
      // As the transports of both kinds of servers write it.
      expect(await say(`exec 2>&1; 'sh' '${program}'`)).toBe("helped");
      expect(await say(`cat '${join(home, "secret.txt")}' 2>/dev/null || echo none`)).toBe("none");
    } finally {
      await host.close();
    }
  },
);

function hasBubblewrap(): boolean {
  try {
    execFileSync(BWRAP, ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
