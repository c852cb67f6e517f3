import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The one working directory. */
export const workspace: PromptSection = {
  id: "workspace",
  half: "stable",
  modes: ["full", "minimal"],
  render: (facts) => `## Workspace
${oneLine(facts.workspace)} is where you work: relative paths start there, and files you make belong there unless the user says otherwise.`,
};
