import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { isFile } from "./is-file.ts";
import { runProgram, type ProgramResult } from "./run-program.ts";
import { serviceEnvironment, type ServiceOptions, type SystemService } from "./system-service.ts";

/** Longer than a stop of the gateway may take. */
const LEAVE_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** The gateway as a launchd agent of the user. */
export function createLaunchdService(context: CliContext, name: string): SystemService {
  const { env, paths } = context;
  const label = `ai.${name}.gateway`;
  const file = join(paths.userHome, "Library", "LaunchAgents", `${label}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const launchctl = async (...args: string[]): Promise<void> => {
    const result = await runProgram("launchctl", args, env);
    if (result.code === 0) return;
    throw new CliError("failure", `launchctl ${args.join(" ")} failed: ${result.stderr.trim() || `exit code ${result.code}`}`, {
      fix: 'Run "factotum gateway start" to start it without launchd.',
    });
  };
  const print = async (): Promise<ProgramResult> => runProgram("launchctl", ["print", `${domain}/${label}`], env);
  const unload = async (): Promise<void> => {
    if ((await print()).code !== 0) return;
    await launchctl("bootout", `${domain}/${label}`);
    // It may return before the process has ended; until then the label is in use.
    const deadline = performance.now() + LEAVE_TIMEOUT_MS;
    while ((await print()).code === 0 && performance.now() < deadline) await delay(POLL_MS);
  };
  return {
    manager: "launchd",
    file,
    isInstalled: () => isFile(file),
    async isRunning() {
      const { code, stdout } = await print();
      return code === 0 && /^\s*state = running$/m.test(stdout);
    },
    environment: async () => serviceEnvironment(context, {}),
    checkSession: () => launchctl("print", domain),
    async install(options) {
      await mkdir(dirname(file), { recursive: true });
      await mkdir(dirname(paths.logFile), { recursive: true, mode: 0o700 });
      await writeFile(file, plistText(context, label, options));
      await unload();
      await launchctl("bootstrap", domain, file);
    },
    async uninstall() {
      await launchctl("bootout", `${domain}/${label}`);
      await rm(file, { force: true });
    },
    start: () => launchctl("kickstart", `${domain}/${label}`),
    stop: () => launchctl("kill", "SIGTERM", `${domain}/${label}`),
    // A process in a separate group outlives its job.
    restart: async () => false,
  };
}

/** The property list. `SuccessfulExit false`: a gateway that was stopped stays stopped. */
export function plistText(context: CliContext, label: string, options: ServiceOptions = {}): string {
  const { self, paths } = context;
  const words = [self.file, ...self.args, "gateway", "run", "--hide-token", "--quiet"].map(
    (word) => `    <string>${escape(word)}</string>`,
  );
  const environment = Object.entries(serviceEnvironment(context, options)).map(
    ([name, value]) => `    <key>${escape(name)}</key>\n    <string>${escape(value)}</string>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key>\n  <string>${escape(label)}</string>`,
    "  <key>ProgramArguments</key>\n  <array>",
    ...words,
    "  </array>",
    "  <key>EnvironmentVariables</key>\n  <dict>",
    ...environment,
    "  </dict>",
    "  <key>RunAtLoad</key>\n  <true/>",
    "  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>",
    "  <key>ExitTimeOut</key>\n  <integer>40</integer>",
    "  <key>Umask</key>\n  <integer>63</integer>",
    `  <key>StandardOutPath</key>\n  <string>${escape(paths.outputFile)}</string>`,
    `  <key>StandardErrorPath</key>\n  <string>${escape(paths.outputFile)}</string>`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
