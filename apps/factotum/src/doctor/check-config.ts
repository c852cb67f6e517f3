import { formatProblem, isFatal, literalSecrets, type ConfigProblem, type LoadedConfig, type RefusedConfig } from "@factotum/config";
import { ok, type Finding } from "./finding.ts";

/** The configuration file: invalid values, inactive keys, literal secrets. */
export function checkConfig(result: LoadedConfig | RefusedConfig): Finding[] {
  // Packages are a check of their own.
  const findings = result.problems
    .filter(({ type }) => type !== "extension")
    .map((problem): Finding => {
      return {
        check: "config",
        level: isFatal(problem) ? "error" : "warning",
        message: formatProblem(problem),
        fix: fixOf(problem, result.path),
      };
    });
  if (result.type === "refused") return findings;
  const inactive = result.inactive.map((key): Finding => {
    return {
      check: "config-inactive",
      level: "warning",
      message: `${key} is set, and this build does not have the feature yet.`,
      fix: "It can stay.",
    };
  });
  const literals = literalSecrets(result.written).map((key): Finding => {
    return {
      check: "config-secret",
      level: "warning",
      message: `${key} holds the secret itself.`,
      fix: `Write it into a file of the folder credentials that only you can read, and name that: factotum config set ${quoted(key)} '{ file: "credentials/NAME" }'`,
    };
  });
  const summary = result.source === "defaults" ? "there is no file, the defaults hold" : `${result.path} is valid`;
  return [...(findings.length === 0 ? [ok("config", summary)] : findings), ...inactive, ...literals];
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w.-]+$/.test(path) ? path : `'${path}'`;
}

function fixOf(problem: ConfigProblem, path: string): string {
  if (problem.type === "unknown-channel" && !problem.path.startsWith("channels."))
    return `Install the package that provides it, or correct its name: factotum config set ${quoted(problem.path)} <value>`;
  if (problem.type === "unknown-channel")
    return `Install the package that provides it, or correct its name. factotum config unset ${quoted(problem.path)} removes it with all who are admitted there.`;
  if (problem.type === "unknown-key") return `Correct its name, or remove it: factotum config unset ${quoted(problem.path)}`;
  if (problem.type === "missing") return 'Put the file back, or correct FACTOTUM_CONFIG; "factotum config validate" shows when it is good.';
  return isFatal(problem) ? `Repair ${path}; "factotum config validate" shows when it is good.` : `Change or remove it in ${path}.`;
}
