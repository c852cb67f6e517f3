import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { AgentTool, Clock, Logger, Random } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { inboundMediaFolder } from "@factotum/gateway";
import { createHostRunner } from "@factotum/sandbox";
import { BrowserKeeper, createBrowserTool, type BrowserToolOptions, type FileAccess } from "@factotum/tools";
import { assetPath } from "../runtime/assets.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { commandSearchPath } from "./command-environment.ts";
import { endOrphans } from "./open-runner.ts";

/** Processes of all browsers together: each site has one. */
const MAX_PROCESSES = 150;

/** Variables that a browser with a window needs. */
const PASSED = ["PATH", "LANG", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];

/** The browsers of a gateway. */
export interface Browsers {
  /** The tool under this configuration; none where it is not enabled. */
  readonly tools: (config: FactotumConfig, files: FileAccess) => readonly AgentTool[];
  /** Ends all browsers. */
  readonly close: () => Promise<void>;
}

/** Prepares browsers, after ending those that a killed gateway left running. Nothing is loaded or started before the first call. */
export async function composeBrowser(
  context: CliContext,
  {
    currentConfig,
    ...system
  }: { readonly clock: Clock; readonly random: Random; readonly logger: Logger; readonly currentConfig: () => FactotumConfig },
): Promise<Browsers> {
  const { env, paths } = context;
  // Apart from commands, so that neither takes the memory of the other.
  const runner = createHostRunner({
    ...system,
    recordFolder: join(paths.stateFolder, "browsers"),
    baseEnv: Object.fromEntries(PASSED.map((name) => [name, env[name]])),
    limits: () => ({ maxProcesses: MAX_PROCESSES, maxMemoryBytes: currentConfig().tools.browser.maxMemoryMb * 1024 ** 2 }),
  });
  await endOrphans(runner, system.logger);
  const keeper = new BrowserKeeper({
    ...system,
    runner,
    folder: join(paths.home, "browsers"),
    searchPath: commandSearchPath(context),
    program: assetPath("browser-program"),
    library: assetPath("browser-library"),
  });
  return {
    tools: ({ tools: { browser } }, files) => {
      const { enabled, maxMemoryMb: _maxMemoryMb, ...settings } = browser;
      return enabled ? [createBrowserTool({ keeper, files, settings, keepDownload: keepDownloadIn(paths.home, system.random) })] : [];
    },
    close: async () => {
      await keeper.close();
      await runner.close();
    },
  };
}

/** Moves a download to the received files of its conversation, which its tools may read and later turns take for text of others. */
function keepDownloadIn(home: string, random: Pick<Random, "bytes">): BrowserToolOptions["keepDownload"] {
  return async ({ file, name }, { sessionId }) => {
    const extension = /^\.[a-z0-9]{1,12}$/.exec(extname(basename(name)).toLowerCase())?.[0] ?? ".bin";
    const kept = join(inboundMediaFolder(home, sessionId), `${Buffer.from(random.bytes(16)).toString("hex")}${extension}`);
    await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
    await move(file, kept);
    await chmod(kept, 0o600);
    return kept;
  };
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    await copyFile(from, to);
    await rm(from, { force: true });
  }
}
