import type { SessionRecord } from "../port/session-records.ts";
import type { TranscriptEntry } from "../port/transcript-records.ts";
import { renderSessionEntry } from "./render-session-entry.ts";

/** The version of the plain file that we write. */
const VERSION = 3;

/** The header line of a plain file. */
export interface SessionFileHeader {
  readonly sessionId: string;
  readonly startedAtMs: number;
  /** The workspace. */
  readonly cwd: string;
  /** What a plain copy says on top: the key under which its conversation is restored when the database and its snapshots are lost. */
  readonly sessionKey?: string;
  /** When a plain copy's conversation was imported; its session counts as imported again when it is restored. */
  readonly importedAtMs?: number;
  /** What an export says on top: the session's key and what it knows, so that an import has them again. */
  readonly session?: SessionRecord;
}

/** The first line, with its line break. */
export function renderHeader(header: SessionFileHeader): string {
  const timestamp = new Date(header.startedAtMs).toISOString();
  const { sessionId, cwd, sessionKey, importedAtMs, session: record } = header;
  const importedAt = importedAtMs === undefined ? undefined : new Date(importedAtMs).toISOString();
  const session = record === undefined ? undefined : { key: record.key, entry: renderSessionEntry(record) };
  return `${JSON.stringify({ type: "session", version: VERSION, id: sessionId, timestamp, cwd, sessionKey, importedAt, session })}\n`;
}

/** One entry as one line, with its line break. */
export function renderEntry(entry: TranscriptEntry): string {
  const { id, turnId } = entry;
  const envelope = { type: entry.type, id, parentId: entry.parentId ?? null, timestamp: new Date(entry.timestampMs).toISOString(), turnId };
  return `${JSON.stringify({ ...envelope, ...contentOf(entry) })}\n`;
}

/** A compaction stands in the open, as in the files of others; the time of its message is said only where it is another one. */
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
    case "ui-message": {
      const { text, channel, eventId, sender, attachments } = entry;
      return { text, channel, eventId, sender, attachments };
    }
    case "notice":
      return { level: entry.level, text: entry.text, tellsModel: entry.tellsModel };
  }
}
