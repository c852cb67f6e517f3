import type { PromptSection } from "../prompt-facts.ts";
import { renderFile } from "./project-context.ts";

/** MEMORY.md, for private sessions only. */
export const privateMemory: PromptSection = {
  id: "private-memory",
  half: "session",
  modes: ["full"],
  render: (facts) => {
    if (facts.privateMemory === undefined) return undefined;
    return `## Private Memory\nYour long-term notes. They are for your owner only: share nothing from them with anyone else.\n${renderFile(facts.privateMemory, facts)}`;
  },
};
