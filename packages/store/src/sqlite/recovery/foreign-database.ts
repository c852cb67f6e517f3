import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describeNewer, isForeign } from "../connection/connection.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { Database } from "../connection/database.ts";
import { listRestorable } from "./find-loss.ts";
import { hasCopies } from "./session-copies.ts";
import type { CopyFolders } from "./session-copies.ts";

/** A database of another program, or of a newer version of this one. A start refuses it: it is not to be moved or changed. */
export interface ForeignDatabase {
  readonly text: string;
  /** What to do, with the exact command. */
  readonly fix: string;
}

/** Looks for one in a state folder that no gateway uses; undefined for any other file, or none. Changes nothing. */
export async function findForeignDatabase(folder: string, copies: CopyFolders): Promise<ForeignDatabase | undefined> {
  const path = join(folder, DATABASE_NAME);
  const origin = existsSync(path) ? originOf(path) : undefined;
  if (origin === undefined) return undefined;
  if (origin.type === "newer") {
    const fix = "Install the newer Factotum again, or restore a backup of this one: factotum backup restore FILE";
    return { text: `${path} was used by a newer Factotum: ${origin.text}.`, fix };
  }
  return {
    text: `${path} is not a database of Factotum: another program made it.`,
    fix: `Move it away: ${moveCommand(folder)}. ${await describeNextStart(folder, copies)}`,
  };
}

/** Whose the database is, if this program does not open it. */
function originOf(path: string): { readonly type: "other" } | { readonly type: "newer"; readonly text: string } | undefined {
  let database: Database | undefined;
  try {
    database = new Database(new DatabaseSync(path, { readOnly: true }));
    if (isForeign(database)) return { type: "other" };
    const text = describeNewer(database);
    return text === undefined ? undefined : { type: "newer", text };
  } catch (error) {
    // What SQLite cannot read is damaged, even if it was made by another program.
    if (error instanceof Error && "errcode" in error) return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

/** One `mv` per file, to a name that is free. */
function moveCommand(folder: string): string {
  let target = "other-program.sqlite";
  for (let n = 2; existsSync(join(folder, target)); n += 1) target = `other-program-${n}.sqlite`;
  const ends = ["", "-wal"].filter((end) => existsSync(join(folder, `${DATABASE_NAME}${end}`)));
  return ends.map((end) => `mv ${quote(join(folder, `${DATABASE_NAME}${end}`))} ${quote(join(folder, `${target}${end}`))}`).join(" && ");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function describeNextStart(folder: string, copies: CopyFolders): Promise<string> {
  const sources = [
    ...((await listRestorable(folder)).length > 0 ? ["the snapshots"] : []),
    ...((await hasCopies(copies)) ? ["the plain files of the conversations"] : []),
  ];
  if (sources.length === 0) return "The next start then begins with an empty database.";
  return `The next start then restores everything from ${sources.join(" and ")}.`;
}
