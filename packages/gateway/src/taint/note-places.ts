import path from "node:path";
import type { NotesFile } from "@factotum/store";
import type { InstructionPlaces } from "./instruction-files.ts";
import { NOTES_FOLDER } from "./note-blocks.ts";
import { foldPath, linksBelow, realPlaces } from "./real-places.ts";

/** A location of an agent's notes: the folder of notes, or a link's target. Real, and case-folded for comparison. */
export interface NotesPlace {
  readonly agentId: string;
  /** Its name in the workspace. */
  readonly name: string;
  readonly place: string;
}

/** The locations from which notes are loaded: those of the agents' workspaces. Files in a session's own folder, such as a guest's, are not. */
export async function notesPlaces({ agents }: InstructionPlaces): Promise<readonly NotesPlace[]> {
  const places = agents.map(async ({ id: agentId, workspace }) => {
    const folders = await realPlaces(workspace, NOTES_FOLDER);
    const links = (await Promise.all(folders.map((folder) => linksBelow(folder)))).flat();
    return [
      ...folders.map((folder) => ({ agentId, name: NOTES_FOLDER, place: foldPath(folder) })),
      ...links.map(({ name, real }) => ({ agentId, name: path.join(NOTES_FOLDER, foldPath(name)), place: foldPath(real) })),
    ];
  });
  return (await Promise.all(places)).flat();
}

/**
 * The names of a file in the store: by agent and its path in the workspace, so that a workspace can be moved. Several if agents share it or links lead to it,
 * none for other files.
 */
export function notesFiles(file: string, places: readonly NotesPlace[]): readonly NotesFile[] {
  const folded = foldPath(file);
  return places
    .filter(({ place }) => folded === place || folded.startsWith(`${place}${path.sep}`))
    .map(({ agentId, name, place }) => ({ agentId, file: `${name}${folded.slice(place.length)}`.split(path.sep).join("/") }));
}
