export { NoteMemory } from "./note-memory.ts";
export type { NoteMemoryOptions } from "./note-memory.ts";
export { NoteVersions } from "./versions/note-versions.ts";
export type { NoteVersionsOptions } from "./versions/note-versions.ts";
export type { NotePlaces } from "./notes/note-files.ts";
