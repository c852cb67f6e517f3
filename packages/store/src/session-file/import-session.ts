import { addUsage, NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { UsageTotals } from "@factotum/agent-contract";
import type { SessionRecord } from "../port/records.ts";
import type { ImportedEntry, Store } from "../port/store.ts";
import type { ParsedSessionFile } from "./parse-session-file.ts";

/** Under what an imported session stands. */
export interface ImportTarget {
  readonly key: string;
  readonly agentId: string;
  /** Used where the file has no id of its own. */
  readonly sessionId: string;
  readonly displayName: string;
  /** False unless it is certain that nobody but the owner has spoken in it. */
  readonly isPrivate: boolean;
  /** The time of the import. */
  readonly nowMs: number;
  /** What a `sessions.json` knows on top of the transcript. */
  readonly record?: Partial<SessionRecord>;
}

/**
 * Stores a parsed file as a session. One that could not be read becomes an empty session that says so. Rejects with `conflict` when the
 * key or the session id is taken.
 */
export async function importSession(store: Store, file: ParsedSessionFile, target: ImportTarget): Promise<SessionRecord> {
  const entries = file.isReadable ? file.entries : [unreadableNotice(target.nowMs)];
  const firstMs = file.startedAtMs ?? entries[0]?.timestampMs ?? target.nowMs;
  const lastMs = entries.at(-1)?.timestampMs ?? firstMs;
  const compactionCount = entries.filter((entry) => entry.body.type === "compaction").length;
  return store.importSession({
    createdAtMs: firstMs,
    startedAtMs: firstMs,
    interactedAtMs: target.record?.updatedAtMs ?? lastMs,
    updatedAtMs: lastMs,
    displayName: target.displayName,
    overrides: {},
    usage: sumUsage(entries),
    compactionCount,
    ...target.record,
    key: target.key,
    agentId: target.agentId,
    sessionId: target.record?.sessionId ?? file.sessionId ?? target.sessionId,
    isPrivate: target.isPrivate,
    entries,
  });
}

function unreadableNotice(timestampMs: number): ImportedEntry {
  const text = "The transcript of this session could not be read, so it begins empty.";
  return { id: "0", timestampMs, body: { type: "notice", level: "warning", text } };
}

function sumUsage(entries: readonly ImportedEntry[]): UsageTotals {
  let totals = NO_USAGE_TOTALS;
  for (const { body } of entries) {
    if (body.type === "message" && body.message.role === "assistant") totals = addUsage(totals, body.message.usage);
  }
  return totals;
}
