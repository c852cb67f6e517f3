import type { RunFacts } from "@factotum/agent-contract";
import type { EffectivePromptFacts } from "@factotum/agent-core";
import type { LocalFiles } from "../media/local-files.ts";
import { MAX_NOTES_BYTES, notesPath } from "./memory-flush.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Notes with which a conversation begins. */
export interface DailyNotes {
  readonly notes: NonNullable<EffectivePromptFacts["dailyNotes"]>;
  /** A path leads to a received file: what is in it comes from others (R23). */
  readonly untrusted: boolean;
}

/** No notes. */
export const NO_NOTES: DailyNotes = { notes: [], untrusted: false };

/** Today's notes and yesterday's, in the zone of the agent's user, read as the file tools read. Days without notes are left out. */
export async function readDailyNotes(
  files: LocalFiles,
  { run, agent, nowMs }: { readonly run: RunFacts; readonly nowMs: number } & Parameters<typeof notesPath>[0],
): Promise<DailyNotes> {
  const today = notesPath({ agent }, nowMs);
  const found = await Promise.all(
    [today, today.replace(agent.time.day(nowMs), dayBefore)].map(async (path) => ({
      path,
      file: await files.read(path, { run, maxBytes: MAX_NOTES_BYTES }),
    })),
  );
  return {
    notes: found.flatMap(({ path, file }) => (file.type === "file" ? [{ path, text: new TextDecoder().decode(file.bytes) }] : [])),
    untrusted: found.some(({ file }) => file.type === "file" && file.untrusted),
  };
}

/** By the calendar: a day in which the clocks change has not 24 hours. */
function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
}
