import type { RunFacts } from "@factotum/agent-contract";
import type { NotesFile } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { InstructionPlaces } from "./instruction-files.ts";
import { notesFiles, notesPlaces } from "./note-places.ts";
import { foldPath, realPlaces } from "./real-places.ts";

/** Files of memory in a workspace, by the names that they have there; the second is read if the first is missing. */
const MEMORY_FILES: Readonly<Record<string, string>> = { "MEMORY.md": "MEMORY.md", "memory.md": "MEMORY.md", "USER.md": "USER.md" };

/** Whether a run may change `MEMORY.md` and `USER.md`: neither its own kind nor that of the run that originally started it may be unattended. */
export function changesMemory({ kind, cause = kind }: Pick<RunFacts, "kind" | "cause">): boolean {
  return RUN_POLICY[kind].changesMemory && RUN_POLICY[cause].changesMemory;
}

/** Why a run may not change the instruction file of this name; `undefined` if it may. The text is for the model. */
export function memoryRefusal(name: string | undefined, run: Pick<RunFacts, "kind" | "cause">): string | undefined {
  if (name === undefined || !Object.hasOwn(MEMORY_FILES, name) || changesMemory(run)) return undefined;
  return `${name} was not changed: a run that a message of the owner has not started adds nothing to it. Write what you found into memory/YYYY-MM-DD.md, or propose it to the owner in your answer; the owner can then ask for it.`;
}

/** The notes of agents at a real path: `MEMORY.md`, `USER.md`, and the files in their folders of notes. Several if agents share them, none for other files. */
export async function findNotes(file: string, places: InstructionPlaces): Promise<readonly NotesFile[]> {
  const folded = foldPath(file);
  const curated = places.agents.map(async ({ id: agentId, workspace }): Promise<readonly NotesFile[]> => {
    for (const [name, known] of Object.entries(MEMORY_FILES))
      if ((await realPlaces(workspace, name)).some((place) => foldPath(place) === folded)) return [{ agentId, file: known }];
    return [];
  });
  return [...(await Promise.all(curated)).flat(), ...notesFiles(file, await notesPlaces(places))];
}
