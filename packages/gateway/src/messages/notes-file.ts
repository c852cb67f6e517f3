import type { SessionContext } from "../conversation/session-context.ts";
import { NOTES_FOLDER } from "../taint/note-blocks.ts";

/** Notes of a day are not appended beyond this length. */
export const MAX_NOTES_BYTES: number = 1024 * 1024;

/** Today's notes, relative to the workspace. */
export function notesPath({ agent }: Pick<SessionContext, "agent">, atMs: number): string {
  return `${NOTES_FOLDER}/${agent.time.day(atMs)}.md`;
}
