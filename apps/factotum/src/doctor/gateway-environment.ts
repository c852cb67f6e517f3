import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { secretVariables, type Environment, type LoadedConfig } from "@factotum/config";
import { DEFAULT_KEY_VARIABLES } from "@factotum/models";
import type { CliContext } from "../runtime/cli-context.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { readRuntimeFile } from "../runtime/runtime-file.ts";
import { systemService } from "../service/find-service.ts";
import { ok, type Finding } from "./finding.ts";

const run = promisify(execFile);

/** The effective environment: the gateway's own, which may differ from the shell's. */
export interface GatewayEnvironment {
  readonly env: Environment;
  /** `shell`: no gateway is running and no service is installed, so the next start uses this shell's. */
  readonly source: "gateway" | "service" | "shell";
  /** For people. */
  readonly name: string;
}

/** Finds the environment of the running gateway, otherwise that of its service, otherwise this shell's. */
export async function findGatewayEnvironment(context: CliContext): Promise<GatewayEnvironment> {
  const { env } = context;
  const places = placesOf(env);
  const facts = await readRuntimeFile(context.paths);
  if (facts !== undefined && isProcessAlive(facts.pid)) {
    const own = await processEnvironment(facts.pid, context.platform);
    if (own !== undefined) return { env: { ...own, ...places }, source: "gateway", name: `the running gateway (process ${facts.pid})` };
  }
  const service = systemService(context);
  if (service !== undefined && (await service.isInstalled())) {
    return { env: { ...(await service.environment()), ...places }, source: "service", name: `the service (${service.manager})` };
  }
  return { env, source: "shell", name: "this shell" };
}

/** The variables that select the installation, which come from this command. */
function placesOf(env: Environment): Environment {
  return Object.fromEntries(
    ["HOME", "FACTOTUM_HOME", "FACTOTUM_CONFIG"].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** The environment of this user's gateway, as its system reports it; `undefined` on Windows, and if another program has its process id now. */
async function processEnvironment(pid: number, platform: NodeJS.Platform): Promise<Environment | undefined> {
  try {
    if (platform === "darwin") return environmentOfListing((await run("ps", ["-E", "-ww", "-o", "command=", "-p", String(pid)])).stdout);
    if (!(await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("\0gateway\0run\0")) return undefined;
    return environmentOf((await readFile(`/proc/${pid}/environ`, "utf8")).split("\0"));
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/**
 * The environment in a line of `ps -E` of macOS: the command, then the variables, all separated by spaces. A value that contains ` NAME=` is cut there, which
 * no key does. `undefined` for the line of another program, or of a process that the system does not show.
 */
export function environmentOfListing(line: string): Environment | undefined {
  const at = line.search(/ gateway run /);
  return at === -1
    ? undefined
    : environmentOf(
        line
          .slice(at)
          .trim()
          .split(/ (?=[A-Za-z_]\w*=)/),
      );
}

function environmentOf(entries: readonly string[]): Environment {
  return Object.fromEntries(
    entries
      .filter((entry) => entry.includes("="))
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

/** Variables with keys that this shell has and the gateway lacks, or has otherwise. Shows names, never values. */
export function checkEnvironment(found: GatewayEnvironment, { env: shell }: CliContext, loaded: LoadedConfig): readonly Finding[] {
  const { env, source, name } = found;
  if (source === "shell") return [];
  const named = secretVariables(loaded.written);
  // A key that no setting refers to selects the model only if none is configured.
  const relevant = loaded.config.agents.some(({ model }) => model === undefined) ? [...named, ...DEFAULT_KEY_VARIABLES] : named;
  const valueOf = (environment: Environment, variable: string): string => environment[variable]?.trim() ?? "";
  const findings = [...new Set(relevant)].flatMap((variable): Finding[] => {
    const [here, there] = [valueOf(shell, variable), valueOf(env, variable)];
    if (here === "" || here === there) return [];
    const what = there === "" ? "does not have it" : "has another value";
    return [
      { check: "environment", level: "warning", message: `${variable} is set in this shell, and ${name} ${what}.`, fix: fixFor(source) },
    ];
  });
  return findings.length === 0 ? [ok("environment", `the keys are those of ${name}`)] : findings;
}

function fixFor(source: "gateway" | "service"): string {
  return source === "gateway"
    ? 'Run "factotum gateway restart" in this shell, or keep the key in a file that the configuration names: { file: "credentials/…" }.'
    : 'A service does not see what a shell exports: keep the key in a file that the configuration names: { file: "credentials/…" }.';
}
