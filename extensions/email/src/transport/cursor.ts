import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";

/** The position in the folder: everything up to `uid` is stored, while the folder has this UIDVALIDITY. */
export interface Cursor {
  readonly validity: string;
  readonly uid: number;
  /** When the folder was last known to have nothing beyond it, milliseconds since the epoch. */
  readonly atMs: number;
}

const CursorSchema = z.strictObject({ validity: z.string(), uid: z.number().int().nonnegative(), atMs: z.number().nonnegative() });

/** Reads a committed cursor; `undefined` for none, and for one of another form. */
export function parseCursor(cursor: string | undefined): Cursor | undefined {
  return parseOwn(cursor, CursorSchema);
}

/** Writes a cursor. */
export function renderCursor({ validity, uid, atMs }: Cursor): string {
  return JSON.stringify({ validity, uid, atMs });
}
