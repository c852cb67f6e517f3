import type { PromptSection } from "../prompt-facts.ts";
import { renderSkillIndex } from "../skill-index.ts";

/** Which skills there are and how to use one. Their bodies are read by the model when they fit. */
export const skills: PromptSection = {
  id: "skills",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.skills.length === 0 || !facts.tools.some(({ name }) => name === "read")) return undefined;
    return `## Skills
Go through these descriptions before you answer. One that clearly fits: open it at its location with \`read\` and do as it says. Several: take the most specific. None: open none. At most one at the start, and no invented paths.
- A version other than the one you read before means: read the skill again.
- Paths inside a skill count from the folder that it lies in.
- Skills that write to outside services: send in batches, do not hammer, and wait when the service answers 429.
${renderSkillIndex(facts.skills)}`;
  },
};
