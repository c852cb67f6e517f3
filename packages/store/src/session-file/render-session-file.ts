import type { SessionRecord } from "../port/session-records.ts";
import type { TranscriptEntry } from "../port/transcript-records.ts";
import { renderSessionEntry } from "./render-session-entry.ts";

/** The version of the plain file that we write. */
const VERSION = 3;

/** The header line of a plain file. */
export interface SessionFileHeader {
  readonly sessionId: string;
  readonly startedAtMs: number;
  /** Path of the workspace. */
  readonly cwd: string;
  /** Extra header fields of a plain copy: the key under which its conversation is restored if the database and its snapshots are lost. */
  readonly sessionKey?: string;
  /** The session that began this one: forgetting finds the file by it. */
  readonly spawnedBy?: string;
  /** When a plain copy's conversation was imported; its session counts as imported again when it is restored. */
  readonly importedAtMs?: number;
  /** Extra header fields of an export: the session's key and facts, for an import. */
  readonly session?: SessionRecord;
}

/** The header, with its line break. */
export function renderHeader(header: SessionFileHeader): string {
  const timestamp = new Date(header.startedAtMs).toISOString();
  const { sessionId, cwd, sessionKey, spawnedBy, importedAtMs, session: record } = header;
  const importedAt = importedAtMs === undefined ? undefined : new Date(importedAtMs).toISOString();
  const session = record === undefined ? undefined : { key: record.key, entry: renderSessionEntry(record) };
  return `${JSON.stringify({ type: "session", version: VERSION, id: sessionId, timestamp, cwd, sessionKey, spawnedBy, importedAt, session })}\n`;
}

/** One entry as one line, with its line break. */
export function renderEntry(entry: TranscriptEntry): string {
  const { id, turnId } = entry;
  const envelope = { type: entry.type, id, parentId: entry.parentId ?? null, timestamp: new Date(entry.timestampMs).toISOString(), turnId };
  return `${JSON.stringify({ ...envelope, ...contentOf(entry) })}\n`;
}

/** A compaction has top-level fields, as in the files of others; the timestamp of its message is written only if it differs. */
function contentOf(entry: TranscriptEntry): object {
  switch (entry.type) {
    case "message":
      return { message: entry.message };
    case "compaction": {
      const { summary, firstKeptEntryId, tokensBefore, tainted, timestamp } = entry.message;
      const summarizedAt = timestamp === entry.timestampMs ? undefined : timestamp;
      return { summary, firstKeptEntryId, tokensBefore, tainted, summarizedAt };
    }
    case "replacement":
      return { messages: entry.messages, rerendered: entry.rerendered };
    case "branch":
      return { after: entry.after ?? null };
    case "ui-message": {
      const { text, channel, eventId, sender, attachments } = entry;
      return { text, channel, eventId, sender, attachments };
    }
    case "notice":
      return { level: entry.level, text: entry.text, tellsModel: entry.tellsModel, tainted: entry.tainted };
  }
}
