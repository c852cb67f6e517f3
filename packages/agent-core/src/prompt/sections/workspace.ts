import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The one working directory. */
export const workspace: PromptSection = {
  id: "workspace",
  half: "stable",
  modes: ["full", "minimal"],
  render: ({ workspace: folder }) =>
    folder === undefined
      ? `## Workspace
Relative paths start in your working directory. Put new files there unless the user says otherwise. When you mention a file, use its relative path. When someone other than your owner is writing, your working directory may be a different folder.`
      : `## Workspace
Your working directory is ${oneLine(folder)}. Relative paths start there; put new files there unless the user says otherwise. When someone other than your owner is writing, your working directory may be a different folder.`,
};
