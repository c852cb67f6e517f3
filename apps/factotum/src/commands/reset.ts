import { existsSync, statSync } from "node:fs";
import { mkdir, open, readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatePaths } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { holdHome } from "../runtime/hold-home.ts";

/** The store's files in the state folder: the database with its log and its copies, snapshots, files set aside by recoveries, the list of damage. */
const STORED = /^(?:factotum\.sqlite.*|snapshots|damaged-\d+|damage\.json(?:\.unreadable)?)$/;

/** The first bytes of every SQLite file. */
const SQLITE_HEADER = "SQLite format 3\0";

/**
 * Moves all conversations aside, so that the next start is empty: nothing is deleted. Configuration, credentials and workspaces stay. Asks the person first;
 * without a terminal, `yes` is required. No gateway may run.
 */
export async function resetState(cli: CliContext, options: { readonly yes: boolean; readonly json: boolean }): Promise<number> {
  using _held = await holdStopped(cli.paths);
  const moves = await storedPaths(cli.paths);
  const target = join(cli.paths.home, `reset-${new Date().toISOString().replaceAll(":", "-")}`);
  if (moves.length > 0 && !options.yes) {
    if (cli.confirm === undefined)
      throw new CliError("usage", "Moving all conversations aside needs a confirmation, and no terminal is attached.", {
        fix: "Pass --yes to do it.",
      });
    if (!(await cli.confirm(`Move all conversations, snapshots and received files to ${target} and begin empty?`))) {
      cli.note("factotum: nothing was moved\n");
      return EXIT.failure;
    }
  }
  const database = join(cli.paths.stateFolder, "factotum.sqlite");
  if (await isDatabase(database)) writeLogBack(database);
  for (const path of moves.filter((one) => existsSync(join(cli.paths.home, one)))) {
    const to = join(target, path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(join(cli.paths.home, path), to);
  }
  if (options.json) printJson(cli, { movedTo: moves.length === 0 ? null : target, moved: moves });
  else if (moves.length === 0) cli.print("There is nothing to move; the next start creates an empty database.\n");
  else
    cli.print(
      `All conversations, snapshots and received files are in ${target} now. The next start creates an empty database; configuration, credentials and workspaces were kept.\n`,
    );
  return EXIT.ok;
}

/** Holds the state directory meanwhile. */
async function holdStopped(paths: StatePaths): Promise<Disposable> {
  const held = await holdHome(paths);
  if (held !== undefined) return held;
  throw new CliError("failure", `A gateway uses ${paths.home}.`, { fix: 'Stop it with "factotum gateway stop".' });
}

/**
 * Checkpoints the database, which removes its log: if the move is interrupted, the database is intact on either side. One that SQLite cannot read is moved
 * unchanged.
 */
function writeLogBack(path: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error)) throw error;
  } finally {
    database?.close();
  }
}

/** SQLite would remove the log beside a file that is not a database. */
async function isDatabase(path: string): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(SQLITE_HEADER.length), 0, SQLITE_HEADER.length, 0);
  return buffer.toString("latin1") === SQLITE_HEADER;
}

/** The paths to move, relative to the state directory. The database goes last: while it is there, no loss is detected. */
async function storedPaths({ home, stateFolder }: StatePaths): Promise<readonly string[]> {
  const agents = (await namesIn(join(home, "agents"))).map((agent) => join("agents", agent, "sessions"));
  const stored = (await namesIn(stateFolder)).filter((name) => STORED.test(name)).map((name) => join("state", name));
  const database = join("state", "factotum.sqlite");
  return [...agents, "media", ...stored.filter((path) => path !== database), database].filter((path) => existsSync(join(home, path)));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? (await readdir(folder)).toSorted() : [];
}
