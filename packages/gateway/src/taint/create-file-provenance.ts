import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FileProvenance, FileWrite, RunFacts } from "@factotum/agent-contract";
import type { Store } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import { confirmationHint } from "../access/tool-gate.ts";
import { findInstructionFile } from "./instruction-files.ts";
import type { InstructionPlaces } from "./instruction-files.ts";
import { blockDigests } from "./note-blocks.ts";
import { foldPath, realPlaces } from "./real-places.ts";
import { isTaintBinding } from "./taint.ts";

/** What the provenance of files is kept and looked up with. */
export interface FileProvenanceOptions {
  readonly store: Pick<Store, "readSession" | "addTaintedBlocks" | "readTaintedBlocks">;
  /** Asked at each write. */
  readonly places: () => InstructionPlaces;
}

/** The folder of daily notes in a workspace. */
const NOTES_FOLDER = "memory";

/**
 * Keeps instructions from tainted turns, and remembers which blocks of daily notes they wrote (R23). Both are decided with the real path and the whole new
 * content at hand, so that neither the name nor the tool of a write matters.
 */
export function createFileProvenance({ store, places }: FileProvenanceOptions): FileProvenance {
  // A search opens many files of one run.
  const known = new WeakMap<RunFacts, Promise<readonly string[]>>();
  const foldersOf = async (run: RunFacts): Promise<readonly string[]> => {
    const folders = known.get(run) ?? notesFolders(run, places());
    known.set(run, folders);
    return folders;
  };
  return {
    async beforeWrite(write) {
      const { run } = write;
      const tainted = await isTaintBinding(run, write.tainted || !run.owner, { store });
      if (!tainted) return { type: "allow" };
      const name = await findInstructionFile(write.path, places());
      if (name !== undefined) {
        const decision = authorize({ type: "run", owner: run.owner, tainted }, { type: "tool", effect: "write" }, { type: "instructions" });
        if (decision.type !== "allow") return { type: "refuse", message: refusal(name, decision, run) };
      }
      const notes = notesName(write.path, await notesFolders(run, places()));
      if (notes !== undefined) await recordBlocks(notes, write, store);
      return { type: "allow" };
    },
    async isUntrusted(file, run) {
      const notes = notesName(file, await foldersOf(run));
      const tainted = notes === undefined ? new Set() : await store.readTaintedBlocks(notes);
      return tainted.size > 0 && !blockDigests(await readIfThere(file)).isDisjointFrom(tainted);
    },
  };
}

function refusal(name: string, decision: { readonly type: "deny" | "confirm"; readonly reason: string }, run: RunFacts): string {
  const what = `${name} was not changed: later conversations follow what stands there.`;
  return decision.type === "deny" ? `${what} ${decision.reason}` : `${what} ${decision.reason} ${confirmationHint(run)}`;
}

/** What a write adds to the notes is recorded before it stands there; what stood there before keeps whose it was. */
async function recordBlocks(notes: string, { path: file, content }: FileWrite, store: FileProvenanceOptions["store"]): Promise<void> {
  const added = blockDigests(content).difference(blockDigests(await readIfThere(file)));
  if (added.size > 0) await store.addTaintedBlocks(notes, [...added]);
}

/** Where the notes of a run's workspace and of all agents' lie. */
async function notesFolders({ workspace }: RunFacts, { workspaces }: InstructionPlaces): Promise<readonly string[]> {
  const places = await Promise.all([...new Set([workspace, ...workspaces])].map(async (folder) => realPlaces(folder, NOTES_FOLDER)));
  return places.flat().map((place) => `${foldPath(place)}${path.sep}`);
}

/** How a file of notes is known in the store: its path in the workspace, so that a workspace can be moved. `undefined` for other files. */
function notesName(file: string, folders: readonly string[]): string | undefined {
  const folded = foldPath(file);
  const folder = folders.find((one) => folded.startsWith(one));
  return folder === undefined ? undefined : [NOTES_FOLDER, ...folded.slice(folder.length).split(path.sep)].join("/");
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
