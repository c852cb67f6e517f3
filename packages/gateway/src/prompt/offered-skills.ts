import type { SkillEntry } from "@factotum/agent-contract";

/** The skills that a session's model is offered: those that it may invoke, and that have the tools they need. */
export function offeredSkills(skills: readonly SkillEntry[], tools: readonly { readonly name: string }[]): readonly SkillEntry[] {
  const present = new Set(tools.map(({ name }) => name));
  return skills.filter(({ invocation, tools: needed = [] }) => invocation !== "people" && needed.every((name) => present.has(name)));
}
