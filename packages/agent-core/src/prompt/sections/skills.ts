import type { PromptSection } from "../prompt-facts.ts";
import { renderSkillIndex } from "../skill-index.ts";

/** The available skills and how to use one; the model reads a body when its skill applies. */
export const skills: PromptSection = {
  id: "skills",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.skills.length === 0 || !facts.tools.some(({ name }) => name === "read")) return undefined;
    return `## Skills
Look through the skill descriptions below before you answer. If one clearly fits, read it with \`read\` and follow it: its file is <name>/SKILL.md in the folder that lists it. If several fit, take the most specific; if none does, read none. Read at most one skill before you start, and never guess a path.
- The version is in brackets. If it differs from the one you have read, read the skill again.
- Paths in a skill are relative to the skill's folder, which {baseDir} stands for.
- When a skill writes to an external service, batch the requests; if the service answers 429, wait before you try again.
${renderSkillIndex(facts.skills)}`;
  },
};
