import { delimiter, dirname, join } from "node:path";
import { ROOT } from "./root.mjs";

const QUIET = { DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1", npm_config_update_notifier: "false" };

/**
 * The environment of a child: Node 24 and the installed commands first in PATH, nothing that npm says about the script it runs, no
 * telemetry. A tool without a terminal gets `CI`, so that it never asks.
 *
 * @param {string | undefined} node the Node binary whose folder leads PATH
 * @param {{ tool?: boolean }} [options]
 * @returns {NodeJS.ProcessEnv}
 */
export function environment(node, { tool = false } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name));
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...Object.fromEntries(kept), ...QUIET };
  const folders = [...(node === undefined ? [] : [dirname(node)]), join(ROOT, "node_modules/.bin"), process.env["PATH"] ?? ""];
  env["PATH"] = [...new Set(folders.flatMap((folder) => folder.split(delimiter)))].filter((folder) => folder !== "").join(delimiter);
  if (tool && !(process.stdin.isTTY && process.stdout.isTTY)) env["CI"] ??= "true";
  return env;
}
