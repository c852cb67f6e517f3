import type { PlannedFile } from "../../bootstrap/bootstrap-file.ts";
import { MAX_NOTE_CHARS } from "../../effective-prompt/untrusted-blocks.ts";
import { oneLine } from "../one-line.ts";
import { opensFiles } from "../opens-files.ts";
import type { PromptFacts, PromptSection } from "../prompt-facts.ts";

/** The bootstrap files of the workspace, and how memory works: what is loaded, and what belongs where. */
export const projectContext: PromptSection = {
  id: "project-context",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.projectContext === undefined || facts.projectContext.length === 0) return undefined;
    const opens = opensFiles(facts.tools, { owner: true });
    const how = facts.workspace === undefined ? [FOR_OTHERS] : [loaded(opens), ...(canWrite(facts) ? [NOTES] : [])];
    return ["## Project Context", ...how, ...facts.projectContext.map((file) => renderFile(file, facts))].join("\n");
  },
};

function loaded(opens: boolean): string {
  const again = opens ? " Read one of them again only if a `File changed` event names it or its text below is cut short." : "";
  const older = opens ? " Read older notes when you need them." : "";
  return `These workspace files tell you who you are and how to work here.${again}
In private conversations with your owner, Factotum also loads MEMORY.md, if it exists, into this prompt, and puts today's and yesterday's notes (\`memory/YYYY-MM-DD.md\`, the first ${MAX_NOTE_CHARS} characters of each) into the first turn.${older}`;
}

/** For a session that others than the owner can read: nothing written there is loaded. */
const FOR_OTHERS =
  "These files of your owner's workspace tell you who you are and how to work here. In turns of people other than your owner, you cannot open or change them.";

const NOTES = `From one conversation to the next, you remember only what is in files. When your owner is writing, note these things as soon as they come up, with full dates and without secrets:
- decisions, promises, appointments and open work: into today's notes
- lasting facts and preferences: into MEMORY.md; facts about your owner: into USER.md; facts about hosts and tools: into TOOLS.md
- anything that your owner asks you to remember: into whichever of these fits, in the same turn`;

function canWrite({ tools }: PromptFacts): boolean {
  return tools.some(({ name }) => name === "write" || name === "edit");
}

/**
 * Renders a file under a heading with its path, or a line in its place if it is missing or nothing of it fits. The path is relative to the working directory, as
 * tools take it, and absolute elsewhere.
 */
export function renderFile(file: PlannedFile, { workspace }: Pick<PromptFacts, "workspace">): string {
  const folder = `${workspace ?? ""}/`;
  const path = workspace !== undefined && file.path.startsWith(folder) ? file.path.slice(folder.length) : file.path;
  const heading = `### ${oneLine(path)}`;
  if (file.type === "missing") return `${heading}\n(no such file)`;
  return `${heading}\n${file.text === "" ? "(cut: no room left for this file)" : file.text}`;
}
