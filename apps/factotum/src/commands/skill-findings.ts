import type { SkillFinding } from "@factotum/skills";

/** A finding on one line, for people. */
export function describeFinding({ severity, rule, meaning, path, line, excerpt }: SkillFinding): string {
  const place = line === undefined ? path : `${path}:${line}`;
  return `${severity === "severe" ? "SEVERE" : "notice"}  ${place} ${meaning} (${rule})${excerpt === undefined ? "" : `\n        ${excerpt}`}`;
}
