import type { InputRecord, SpawnStore } from "@factotum/store";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { newestReport } from "./plan-end.ts";
import { plainReport, type PlainReport } from "./subagent-report.ts";

/** True for the result of a sub-agent. */
export function isResult({ admission }: Pick<InputRecord, "admission">): boolean {
  return admission.completion !== undefined;
}

/**
 * Settles a result that waited for a turn of its session, and gets none since the work there was stopped: it is told to the chat unchanged, in the same commit.
 * Of several results of one sub-agent that stays open, the newest is told. Resolves with what was told; `undefined`: nothing was.
 */
export async function tellUnheard(
  sessionKey: string,
  input: InputRecord,
  {
    reason,
    store,
    notices,
    watchers,
  }: {
    readonly reason: string;
    readonly store: Pick<SpawnStore, "listSpawns">;
    readonly notices: Pick<Notices, "answer" | "endStopped">;
    readonly watchers: Pick<InputWatchers, "settled">;
  },
): Promise<PlainReport | undefined> {
  // What is kept in memory of a reported end has no result.
  const spawn = (await store.listSpawns()).find(({ id }) => id === input.admission.completion?.id);
  if (spawn === undefined || input.message.eventId !== newestReport(spawn)) {
    await notices.endStopped(sessionKey, [input], reason);
    return undefined;
  }
  const report = plainReport(spawn);
  // Text of others stays that in a reply to the message (R23).
  const purpose = input.admission.tainted === true ? "reply" : "notice";
  await notices.answer(sessionKey, input, { ...report, level: "info", state: { type: "told", reason }, purpose, hidesInput: true });
  watchers.settled([input.id], reason);
  return report;
}
