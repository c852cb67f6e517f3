import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { isFile } from "./is-file.ts";
import { runProgram } from "./run-program.ts";
import { serviceEnvironment, type ServiceOptions, type SystemService } from "./system-service.ts";

/** Longer than a stop of the gateway may take. */
const CALL_TIMEOUT_MS = 60_000;

/** The gateway as a systemd unit of the user. */
export function createSystemdService(context: CliContext, name: string): SystemService {
  const { env, paths } = context;
  const folder = join(env["XDG_CONFIG_HOME"]?.trim() || join(paths.userHome, ".config"), "systemd", "user");
  const unit = `${name}.service`;
  const file = join(folder, unit);
  const systemctl = async (...args: string[]): Promise<void> => {
    const result = await runProgram("systemctl", ["--user", ...args], env, CALL_TIMEOUT_MS);
    if (result.code === 0) return;
    throw new CliError("failure", `systemctl --user ${args.join(" ")} failed: ${result.stderr.trim() || `exit code ${result.code}`}`, {
      fix: 'Without a systemd session of the user, run "factotum gateway start" instead; see also: systemctl --user status.',
    });
  };
  const isRunning = async (): Promise<boolean> => (await runProgram("systemctl", ["--user", "is-active", "--quiet", unit], env)).code === 0;
  return {
    manager: "systemd",
    file,
    isInstalled: () => isFile(file),
    isRunning,
    async environment() {
      const ofManager = await runProgram("systemctl", ["--user", "show-environment"], env);
      // Includes changes by `systemctl --user edit`.
      const ofUnit = await runProgram("systemctl", ["--user", "show", unit, "--property=Environment", "--value"], env);
      return {
        ...parseVariables(ofManager.code === 0 ? ofManager.stdout.split("\n") : []),
        ...parseVariables(ofUnit.code === 0 ? (ofUnit.stdout.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g) ?? []) : []),
        ...serviceEnvironment(context, {}),
      };
    },
    checkSession: () => systemctl("show-environment"),
    async install(options) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, unitText(context, options));
      await systemctl("daemon-reload");
      await systemctl("enable", unit);
      // Also starts a stopped service; a running one would keep its old command line and port.
      await systemctl("restart", unit);
    },
    async uninstall() {
      await systemctl("disable", "--now", unit);
      await rm(file, { force: true });
      await systemctl("daemon-reload");
    },
    start: () => systemctl("start", unit),
    stop: () => systemctl("stop", unit),
    async restart() {
      if (!(await isRunning())) return false;
      await systemctl("restart", "--no-block", unit);
      return true;
    },
  };
}

/** Parses `NAME=value`, quoted as a whole, or with the value in `$'…'` if it has spaces. */
function parseVariables(entries: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name, value = ""] = /^"?([A-Za-z_]\w*)=(.*?)"?$/s.exec(entry) ?? [];
      return name === undefined ? [] : [[name, value.replace(/^\$'(.*)'$/s, "$1").replaceAll(/\\(.)/g, "$1")]];
    }),
  );
}

/** The unit file. A configuration that cannot be used, or a wrong command line, is not tried again and again. */
export function unitText(context: CliContext, options: ServiceOptions = {}): string {
  const words = [...context.self.args, "gateway", "run", "--hide-token"].map((part) => quote(part).replaceAll("$", "$$$$"));
  // Variables are expanded in the arguments, not in the program's name.
  const command = [quote(context.self.file), ...words];
  const environment = Object.entries(serviceEnvironment(context, options)).map(
    ([name, value]) => `Environment=${quote(`${name}=${value}`)}`,
  );
  return [
    "[Unit]",
    "Description=Factotum gateway",
    "After=network-online.target",
    "Wants=network-online.target",
    // A start on a full disk is retried until there is space.
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    `ExecStart=${command.join(" ")}`,
    ...environment,
    "Restart=on-failure",
    "RestartSec=5",
    `RestartPreventExitStatus=${EXIT.usage} ${EXIT.configInvalid}`,
    "KillMode=mixed",
    "TimeoutStopSec=40",
    "UMask=0077",
    // So that the gateway can let the kernel enforce the limits of commands.
    "Delegate=pids memory",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** A word of a unit file: quotes and backslashes escaped, specifiers doubled. */
function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("\n", "\\n")}"`;
}
