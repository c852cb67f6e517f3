import type { MemoryStatus } from "@factotum/agent-contract";
import type { NoteMemory } from "../src/index.ts";
import { AGENT } from "./note-rig.ts";

/** The state once it is as wanted; the background has the time between two looks. */
export async function statusWhen(memory: NoteMemory, is: (status: MemoryStatus) => boolean): Promise<MemoryStatus> {
  const status = await memory.status(AGENT);
  if (is(status)) return status;
  await new Promise((resolve) => setImmediate(resolve));
  return statusWhen(memory, is);
}

/** The state once every passage has a vector. */
export async function allEmbedded(memory: NoteMemory): Promise<MemoryStatus> {
  return statusWhen(memory, ({ chunks, embedded }) => embedded?.chunks === chunks);
}
