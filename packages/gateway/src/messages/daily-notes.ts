import type { RunFacts } from "@factotum/agent-contract";
import type { EffectivePromptFacts } from "@factotum/agent-core";
import type { Store } from "@factotum/store";
import type { LocalFiles } from "../media/local-files.ts";
import { splitNote } from "../taint/note-blocks.ts";
import { MAX_NOTES_BYTES, notesPath } from "./notes-file.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Notes at the start of a conversation. */
export interface DailyNotes {
  readonly notes: NonNullable<EffectivePromptFacts["dailyNotes"]>;
  /** A tainted turn wrote a part of them, or a path leads to a received file (R23). */
  readonly untrusted: boolean;
}

/** No notes. */
export const NO_NOTES: DailyNotes = { notes: [], untrusted: false };

/**
 * Today's and yesterday's notes, in the time zone of the agent's user, read like the file tools read; text of tainted turns is separated. Days without notes
 * are omitted.
 */
export async function readDailyNotes(
  { files, store }: { readonly files: LocalFiles; readonly store: Pick<Store, "readTaintedBlocks"> },
  { run, agent, nowMs }: { readonly run: RunFacts; readonly nowMs: number } & Parameters<typeof notesPath>[0],
): Promise<DailyNotes> {
  const today = notesPath({ agent }, nowMs);
  const found = await Promise.all(
    [today, today.replace(agent.time.day(nowMs), dayBefore)].map(async (path) => ({
      path,
      file: await files.read(path, { run, maxBytes: MAX_NOTES_BYTES }),
      tainted: await store.readTaintedBlocks({ agentId: agent.config.id, file: path }),
    })),
  );
  return {
    notes: found.flatMap(({ path, file, tainted }) =>
      file.type === "file" ? [{ path, ...splitNote(new TextDecoder().decode(file.bytes), tainted) }] : [],
    ),
    untrusted: found.some(({ file }) => file.type === "file" && file.untrusted),
  };
}

/** By the calendar: a day with a clock change does not have 24 hours. */
function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
}
