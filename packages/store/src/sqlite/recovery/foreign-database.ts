import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isForeign } from "../connection/connection.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { Database } from "../connection/database.ts";
import { listRestorable } from "./find-loss.ts";
import { hasCopies } from "./session-copies.ts";
import type { CopyFolders } from "./session-copies.ts";

/** A database of another program in the place of ours. A start refuses it: it is not ours to move or to change. */
export interface ForeignDatabase {
  readonly text: string;
  /** What to do, with the exact command. */
  readonly fix: string;
}

/** Looks for one in a state folder that no gateway uses; undefined for any other file, or none. Changes nothing. */
export async function findForeignDatabase(folder: string, copies: CopyFolders): Promise<ForeignDatabase | undefined> {
  const path = join(folder, DATABASE_NAME);
  if (!existsSync(path) || !isForeignFile(path)) return undefined;
  return {
    text: `${path} is not a database of Factotum: another program made it.`,
    fix: `Move it away: ${moveCommand(folder)}. ${await describeNextStart(folder, copies)}`,
  };
}

function isForeignFile(path: string): boolean {
  let database: Database | undefined;
  try {
    database = new Database(new DatabaseSync(path, { readOnly: true }));
    return isForeign(database);
  } catch (error) {
    // What SQLite cannot read is damaged, even if it was made by another program.
    if (error instanceof Error && "errcode" in error) return false;
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
