import type { PromptSection } from "../prompt-facts.ts";
import { renderFile } from "./project-context.ts";

/** MEMORY.md, for private sessions only. */
export const privateMemory: PromptSection = {
  id: "private-memory",
  half: "session",
  modes: ["full"],
  render: (facts) => {
    if (facts.privateMemory === undefined) return undefined;
    return `## Private Memory\nYour long-term notes, for your owner alone: nothing of them goes to anybody else.\n${renderFile(facts.privateMemory)}`;
  },
};
