import type { SkillFinding } from "@factotum/skills";
import { CliError } from "../runtime/cli-error.ts";

/** A finding on one line, for people. */
export function describeFinding({ severity, rule, meaning, path, line, excerpt }: SkillFinding): string {
  const place = line === undefined ? path : `${path}:${line}`;
  return `${severity === "severe" ? "SEVERE" : "notice"}  ${place} ${meaning} (${rule})${excerpt === undefined ? "" : `\n        ${excerpt}`}`;
}

/** Why something with severe findings was not installed without a person who said yes. */
export function refusedBySeverity(name: string, findings: readonly SkillFinding[]): CliError {
  const rules = [...new Set(findings.filter(({ severity }) => severity === "severe").map(({ rule }) => rule))];
  return new CliError("failure", `${name} was not installed: it has severe findings (${rules.join(", ")}).`, {
    fix: "Read the lines above. If they are harmless, install it at a terminal without --json, and say yes there.",
  });
}
