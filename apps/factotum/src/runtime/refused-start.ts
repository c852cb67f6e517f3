import { listProblems, type RefusedConfig } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";

/** The error for a configuration file with which no gateway starts, and what to do. */
export function refusedStart({ path, problems }: RefusedConfig): CliError {
  const isUnenforced = problems.some(({ type }) => type === "unenforced");
  const list = listProblems(problems);
  if (problems.some(({ type }) => type === "missing")) {
    return new CliError("configInvalid", `There is no configuration to start with:\n${list}`, {
      fix: 'Do that, and check it with "factotum config validate". Defaults would allow what the missing file may forbid.',
    });
  }
  const reason = isUnenforced
    ? "asks for limits that this build does not enforce or cannot read. The gateway does not start without them, and uses no earlier version of the file"
    : "cannot be used, and no earlier version of it is known to be good";
  return new CliError("configInvalid", `${path} ${reason}:\n${list}`, {
    fix: 'Repair the file and check it with "factotum config validate".',
  });
}
