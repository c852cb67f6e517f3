import type { SkillEntry, SkillIndex } from "@factotum/agent-contract";

/** An index with these skills, without bodies and without commands of its own. */
export function fakeSkills(
  list: (options: Parameters<SkillIndex["list"]>[0]) => readonly SkillEntry[] = () => [],
  others: Partial<SkillIndex> = {},
): SkillIndex {
  return {
    list: async (options) => list(options),
    leftOut: async () => [],
    readBody: async () => undefined,
    commands: async () => ({ commands: [], problems: [] }),
    ...others,
  };
}
