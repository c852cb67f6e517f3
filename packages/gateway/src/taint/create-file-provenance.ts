import { readFile } from "node:fs/promises";
import type { FileProvenance, FileWrite, RunFacts } from "@factotum/agent-contract";
import type { NotesFile, Store } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import { confirmationHint } from "../access/tool-gate.ts";
import { findInstructionFile } from "./instruction-files.ts";
import type { InstructionPlaces } from "./instruction-files.ts";
import { changesMemory, memoryRefusal } from "./memory-files.ts";
import { blockDigests, hasTaintedBlock, marksFor } from "./note-blocks.ts";
import { notesFiles, notesPlaces, type NotesPlace } from "./note-places.ts";
import { isTaintBinding } from "./taint.ts";

/** The dependencies of provenance. */
export interface FileProvenanceOptions {
  readonly store: Pick<Store, "readSession" | "addTaintedBlocks" | "hasTaintedBlocks" | "readTaintedBlocks">;
  /** Read at each write. */
  readonly places: () => InstructionPlaces;
}

/**
 * Protects instructions from tainted turns, and records which blocks of daily notes they wrote (R23). Both use the real path and the whole new content, so that
 * neither the name nor the tool of a write matters.
 */
export function createFileProvenance({ store, places }: FileProvenanceOptions): FileProvenance {
  // A search opens many files of one run.
  const known = new WeakMap<Pick<RunFacts, "agentId">, Promise<readonly NotesPlace[]>>();
  const placesOf = async (run: Pick<RunFacts, "agentId">): Promise<readonly NotesPlace[]> => {
    const found = known.get(run) ?? notesPlaces(places());
    known.set(run, found);
    return found;
  };
  return {
    async beforeWrite(write) {
      const { run } = write;
      const unfit = changesMemory(run) ? undefined : memoryRefusal(await findInstructionFile(write.path, places()), run);
      if (unfit !== undefined) return { type: "refuse", message: unfit };
      const tainted = await isTaintBinding(run, write.tainted || !run.owner, { store });
      if (!tainted) return { type: "allow" };
      const name = await findInstructionFile(write.path, places());
      if (name !== undefined) {
        const decision = authorize({ type: "run", owner: run.owner, tainted }, { type: "tool", effect: "write" }, { type: "instructions" });
        if (decision.type !== "allow") return { type: "refuse", message: refusal(name, decision, run) };
      }
      for (const notes of notesFiles(write.path, await notesPlaces(places()))) await recordBlocks(notes, write, store);
      return { type: "allow" };
    },
    instructionAt: async (file) => findInstructionFile(file, places()),
    async isUntrusted(file, run, lines) {
      // Nearly always, and then no link needs to be followed.
      if (!(await store.hasTaintedBlocks())) return false;
      for (const notes of notesFiles(file, await placesOf(run))) {
        const tainted = await store.readTaintedBlocks(notes);
        if (tainted.size > 0 && hasTaintedBlock(lines ?? (await readIfThere(file)), tainted)) return true;
      }
      return false;
    },
  };
}

function refusal(name: string, decision: { readonly type: "deny" | "confirm"; readonly reason: string }, run: RunFacts): string {
  const what = `${name} was not changed: later conversations or commands follow what stands there.`;
  return decision.type === "deny" ? `${what} ${decision.reason}` : `${what} ${decision.reason} ${confirmationHint(run)}`;
}

/** Additions to the notes are recorded before they are written; existing blocks keep their provenance. */
async function recordBlocks(notes: NotesFile, { path: file, content }: FileWrite, store: FileProvenanceOptions["store"]): Promise<void> {
  const added = blockDigests(content).difference(blockDigests(await readIfThere(file)));
  const marks = added.size === 0 ? [] : marksFor(added, await store.readTaintedBlocks(notes));
  if (marks.length > 0) await store.addTaintedBlocks(notes, marks);
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
