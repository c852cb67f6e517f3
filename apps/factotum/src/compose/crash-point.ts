import type { Logger } from "@factotum/agent-contract";
import type { Environment } from "@factotum/config";
import { CRASH_POINTS, JOB_CRASH_POINTS, SUBAGENT_CRASH_POINTS, type CrashPointHook } from "@factotum/gateway";
import { CliError } from "../runtime/cli-error.ts";

const VARIABLE = "FACTOTUM_CRASH_AT";
const POINTS = [...CRASH_POINTS, ...JOB_CRASH_POINTS, ...SUBAGENT_CRASH_POINTS];

/**
 * For crash tests: with `FACTOTUM_CRASH_AT=name:n` the process kills itself with SIGKILL when it passes that crash point for the n-th time. A no-op without the
 * variable. Throws a `CliError` for an invalid value: a test must not pass because nothing crashed.
 */
export function crashPointFrom(
  env: Environment,
  logger: Logger,
  kill: () => void = () => void process.kill(process.pid, "SIGKILL"),
): { readonly crashPoint?: CrashPointHook } {
  const value = env[VARIABLE];
  if (value === undefined) return {};
  const [, name, count] = /^([a-z-]+):([1-9]\d*)$/.exec(value) ?? [];
  const point = POINTS.find((known) => known === name);
  if (point === undefined) {
    throw new CliError("usage", `${VARIABLE} is "${value}", and there is no such crash point.`, {
      fix: `Remove the variable, or give it NAME:N with one of ${POINTS.join(", ")}.`,
    });
  }
  logger.warn("This gateway is made to crash", { point, count });
  let left = Number(count);
  return {
    crashPoint: (reached) => {
      if (reached !== point) return;
      left -= 1;
      if (left === 0) kill();
    },
  };
}
