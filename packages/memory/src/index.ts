export { NoteMemory } from "./note-memory.ts";
export type { NoteMemoryOptions } from "./note-memory.ts";
export type { NotePlaces } from "./notes/note-files.ts";
