import { lstatSync, type BigIntStats } from "node:fs";
import type { FileChangePlan, FileWrite, NoteGate, RunFacts } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { changeFiles, type PlacedChange } from "./change-files.ts";
import { writeInEditor } from "./editor-text.ts";
import { FileAccessError, toFileAccessError } from "./file-access-error.ts";
import type { FileAccessOptions } from "./grants.ts";
import { takeTurns } from "./file-turns.ts";
import { isSameVersion, toVersion, type FileVersion } from "./open-file.ts";
import type { OpenContext } from "./open-folder.ts";
import { readBefore } from "./read-before.ts";
import { resolveTarget } from "./resolve-target.ts";

/** A change of one file. With `unchangedSince` it is refused (`changed`) if the file is no longer the one that was read, or no longer `absent`. */
export type FileChange =
  /** Replaces or creates it, with its missing folders. `mode` is that of a new file. */
  | {
      readonly type: "write";
      readonly path: string;
      readonly data: string | Uint8Array;
      readonly mode?: number;
      readonly unchangedSince?: FileVersion | "absent";
    }
  | { readonly type: "remove"; readonly path: string; readonly unchangedSince?: FileVersion };

/** Options of one or several changes. */
export interface ChangeOptions {
  /** The model had been given text of others (R23). */
  readonly tainted: boolean;
  /** The paths are real ones: a symbolic link that leads elsewhere by now is refused. */
  readonly isReal?: boolean;
}

/** The dependencies of changes of one run. */
export interface ChangeParts extends Pick<FileAccessOptions, "provenance" | "checkpoints" | "editor" | "notes"> {
  readonly run: RunFacts;
  readonly context: OpenContext;
  /** Converts a path to an absolute one. */
  readonly parse: (text: string) => string;
}

/** A change that was made, at its real path. */
interface MadeChange {
  readonly path: string;
  /** How the written content differs from the given one, and why. */
  readonly remark?: string;
}

/** Checks every change, keeps what the files hold now, then makes all changes or none. Resolves with them, in order. */
export async function planChanges(
  changes: readonly FileChange[],
  options: ChangeOptions,
  parts: ChangeParts,
): Promise<readonly MadeChange[]> {
  const { context, editor, notes, run } = parts;
  const placed: PlacedChange[] = [];
  for (const change of changes) placed.push(await place(change, options, parts));
  requireDistinct(placed, context);
  const writes = placed.map((one) => toWrite(one, options, parts));
  for (const write of writes) await requireAllowed(write, parts);
  const makeInTurn = async (contents: ReadonlyMap<string, string>): Promise<void> => {
    const given = placed.map((one) => withContent(one, contents.get(one.target)));
    // Here too, so that a change that comes too late keeps no version.
    for (const one of given) requireUnchanged(one, context);
    await keepBefore(given, parts);
    const left = editor === undefined ? given : await writeInEditor(given, { editor, run, context });
    if (left.length > 0) await changeFiles(left, context);
  };
  const targets = placed.map(({ target }) => target);
  const make: Parameters<NoteGate["change"]>[1] = async (contents) => takeTurns(targets, async () => makeInTurn(contents));
  let remarks: ReadonlyMap<string, string> = new Map();
  if (notes === undefined) await make(remarks);
  else remarks = await keepRules(notes, writes, make, parts);
  return placed.map(({ target }) => ({ path: target, ...withoutUndefined({ remark: remarks.get(target) }) }));
}

function toWrite({ change, target, unchangedSince }: PlacedChange, { tainted }: ChangeOptions, { run }: ChangeParts): FileWrite {
  const content = change.type === "remove" ? "" : typeof change.data === "string" ? change.data : new TextDecoder().decode(change.data);
  const isBlind = change.type === "write" && unchangedSince === undefined;
  return { path: target, content, run, tainted, ...(isBlind && { isBlind }) };
}

function withContent(placed: PlacedChange, content: string | undefined): PlacedChange {
  const { change } = placed;
  return content === undefined || change.type === "remove" ? placed : { ...placed, change: { ...change, data: content } };
}

async function keepRules(
  notes: NoteGate,
  writes: readonly FileWrite[],
  make: Parameters<NoteGate["change"]>[1],
  { context }: ChangeParts,
): Promise<ReadonlyMap<string, string>> {
  try {
    const verdict = await notes.change(writes, make);
    if (verdict.type === "refused") throw new FileAccessError("unsuitable", verdict.message);
    return verdict.remarks;
  } catch (error) {
    throw toFileAccessError(error, context.show(writes[0]?.path ?? ""));
  }
}

/** Rejects where a file of this path could not be written. Neither its content nor taint is known yet. */
export async function requirePlace(path: string, parts: ChangeParts): Promise<void> {
  await place({ type: "write", path, data: "" }, { tainted: false }, parts);
}

async function place(one: FileChange, { isReal = false }: ChangeOptions, { context, parse }: ChangeParts): Promise<PlacedChange> {
  const path = parse(one.path);
  if (/\/\.{0,2}$/.test(one.path)) throw new FileAccessError("invalid-path", `${one.path} names a folder; give the name of a file.`);
  const { unchangedSince, ...change } = one;
  try {
    const { target, ancestor } = await resolveTarget(path, context);
    if (isReal && target !== path) throw new FileAccessError("changed", `${context.show(path)} leads to another place now.`);
    return { change, target, ancestor, ...withoutUndefined({ unchangedSince }) };
  } catch (error) {
    throw toFileAccessError(error, context.show(path));
  }
}

/** Two changes of one file would overwrite each other. */
function requireDistinct(placed: readonly PlacedChange[], context: OpenContext): void {
  const targets = new Set<string>();
  for (const { target } of placed) {
    if (targets.has(target)) throw new FileAccessError("invalid-path", `${context.show(target)} would be changed twice by one call.`);
    targets.add(target);
  }
}

async function requireAllowed(write: FileWrite, { provenance, context }: ChangeParts): Promise<void> {
  if (provenance === undefined) return;
  try {
    const decision = await provenance.beforeWrite(write);
    if (decision.type === "refuse") throw new FileAccessError("needs-confirmation", decision.message);
  } catch (error) {
    throw toFileAccessError(error, context.show(write.path));
  }
}

/** The file is the one that was read, or still absent. */
function requireUnchanged({ target, unchangedSince }: PlacedChange, context: OpenContext): void {
  if (unchangedSince === undefined) return;
  const shown = context.show(target);
  const stats = statsOf(target, shown);
  if (unchangedSince === "absent") {
    if (stats !== undefined) throw new FileAccessError("changed", `${shown} exists already.`);
  } else if (stats === undefined || !isSameVersion(toVersion(stats), unchangedSince))
    throw new FileAccessError("changed", `${shown} was changed by something else in the meantime; read it again.`);
}

function statsOf(target: string, shown: string): BigIntStats | undefined {
  try {
    return lstatSync(target, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw toFileAccessError(error, shown);
  }
}

async function keepBefore(placed: readonly PlacedChange[], { checkpoints, run, context }: ChangeParts): Promise<void> {
  if (checkpoints?.keeps(run) !== true) return;
  const { maxBytes } = checkpoints;
  const plans: FileChangePlan[] = [];
  let shown = "";
  try {
    for (const { change, target: path } of placed) {
      shown = context.show(path);
      plans.push({ path, before: await readBefore(path, context, { maxBytes }), ...(change.type === "write" && { after: change.data }) });
    }
    await checkpoints.beforeChange(plans, run);
  } catch (error) {
    throw toFileAccessError(error, shown);
  }
}
