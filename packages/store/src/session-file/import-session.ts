import { withoutUndefined } from "@factotum/agent-contract";
import type { SessionRecord } from "../port/session-records.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import type { Store } from "../port/store.ts";
import type { ParsedSessionFile, SessionFile } from "./session-file.ts";

/** The key and owner of an imported session. */
export interface ImportTarget {
  readonly key: string;
  readonly agentId: string;
  /** Used if the file has no id of its own. */
  readonly sessionId: string;
  readonly displayName: string;
  /** True only if it is certain that all messages are from the owner. */
  readonly isPrivate: boolean;
  /** The time of the import. */
  readonly nowMs: number;
  /** Facts from `sessions.json` in addition to the transcript. */
  readonly record?: Partial<SessionRecord>;
  /** Dry run: only checks whether it could be stored. */
  readonly isTrial?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Stores a session file as a session. An unreadable one becomes an empty session with a notice. Rejects with `conflict` if the key or the session id is taken.
 * Timestamps are capped at the time of the import, and an expiry that has passed is dropped.
 */
export async function importSession(store: Store, file: SessionFile | ParsedSessionFile, target: ImportTarget): Promise<SessionRecord> {
  const entries = file.isReadable ? file.entries : [unreadableNotice(target.nowMs)];
  const firstMs = file.startedAtMs ?? file.firstMs ?? target.nowMs;
  const lastMs = file.lastMs ?? firstMs;
  const { nowMs, record: { expiresAtMs, ...known } = {} } = target;
  const session = {
    displayName: target.displayName,
    overrides: {},
    usage: file.usage,
    compactionCount: file.compactionCount,
    ...known,
    ...(expiresAtMs === undefined || expiresAtMs <= nowMs ? {} : { expiresAtMs }),
    createdAtMs: Math.min(known.createdAtMs ?? firstMs, nowMs),
    startedAtMs: Math.min(firstMs, nowMs),
    interactedAtMs: Math.min(known.interactedAtMs ?? known.updatedAtMs ?? lastMs, nowMs),
    updatedAtMs: Math.min(known.updatedAtMs ?? lastMs, nowMs),
    importedAtMs: nowMs,
    key: target.key,
    agentId: target.agentId,
    sessionId: known.sessionId ?? file.sessionId ?? target.sessionId,
    isPrivate: target.isPrivate,
    entries,
  };
  const { isTrial = false, signal } = target;
  return store.importSession(session, { isTrial, ...withoutUndefined({ signal }) });
}

function unreadableNotice(timestampMs: number): ImportedEntry {
  const text = "The transcript of this session could not be read, so it starts empty.";
  return { id: "0", timestampMs, body: { type: "notice", level: "warning", text } };
}
