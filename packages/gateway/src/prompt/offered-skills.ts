import type { SkillEntry } from "@factotum/agent-contract";

/** The skills that a session's model is offered: those that it may invoke, and whose tools it has, or reaches through `tool_call`. */
export function offeredSkills(skills: readonly SkillEntry[], toolNames: readonly string[]): readonly SkillEntry[] {
  const present = new Set(toolNames);
  return skills.filter(({ invocation, tools: needed = [] }) => invocation !== "people" && needed.every((name) => present.has(name)));
}
