import path from "node:path";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";

/** What a file of a workspace is to its agent: who it is, a note, knowledge that the owner gave it, or a skill or slash command. */
export type FileKind = "persona" | "notes" | "knowledge" | "skills";

/** Every kind. */
const FILE_KINDS: readonly FileKind[] = ["persona", "notes", "knowledge", "skills"];

/** Folders of a workspace with notes and knowledge, which are no sources of prompts. */
export const CONTENT_FOLDERS: readonly string[] = ["memory", "knowledge"];

const OF_FOLDER: Readonly<Record<string, FileKind>> = {
  memory: "notes",
  knowledge: "knowledge",
  skills: "skills",
  ".agents": "skills",
  commands: "skills",
};
const NOTES: readonly string[] = ["MEMORY.md", "memory.md", "USER.md"];
/** A note alone. */
const MEMORY_NAMES: readonly string[] = ["MEMORY.md", "memory.md"];

/** The kinds of a file, or of a folder; a shared folder outside the workspace is one of skills. None for a file without a kind. */
export function fileKinds(file: string, workspace: string): readonly FileKind[] {
  const relative = path.relative(workspace, file);
  if (relative === "") return FILE_KINDS;
  const [first = ""] = relative.split(path.sep);
  if (first === ".." || path.isAbsolute(relative)) return ["skills"];
  if (first !== relative || OF_FOLDER[first] !== undefined) return OF_FOLDER[first] === undefined ? [] : [OF_FOLDER[first]];
  const isPersona = BOOTSTRAP_NAMES.some((name) => name === first) && !MEMORY_NAMES.includes(first);
  return [...(isPersona ? (["persona"] as const) : []), ...(NOTES.includes(first) ? (["notes"] as const) : [])];
}
