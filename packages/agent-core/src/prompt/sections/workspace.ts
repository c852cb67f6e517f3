import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The one working directory. */
export const workspace: PromptSection = {
  id: "workspace",
  half: "stable",
  modes: ["full", "minimal"],
  render: (facts) => `## Workspace
Your working directory is ${oneLine(facts.workspace)}. Relative paths start there; put new files there unless the user says otherwise. In turns of people other than your owner, it may be a different folder.`,
};
