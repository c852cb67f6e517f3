import type { PlannedFile } from "../../bootstrap/bootstrap-file.ts";
import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The bootstrap files of the workspace. */
export const projectContext: PromptSection = {
  id: "project-context",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.projectContext === undefined || facts.projectContext.length === 0) return undefined;
    return [
      "## Project Context",
      "Files of the workspace that tell you who you are and how to work here.",
      ...facts.projectContext.map(renderFile),
    ].join("\n");
  },
};

/** A file under a heading with its path; a line in its place when it is missing or nothing of it fits. */
export function renderFile(file: PlannedFile): string {
  const heading = `### ${oneLine(file.path)}`;
  if (file.type === "missing") return `${heading}\n(no such file)`;
  return `${heading}\n${file.text === "" ? "(no room left for this file; read it when you need it)" : file.text}`;
}
