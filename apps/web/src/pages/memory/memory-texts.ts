import type { MemoryAuditEntry, MemoryFinding } from "@factotum/protocol";
import { msg, t } from "../../i18n/t.ts";

type Origin = NonNullable<MemoryAuditEntry["origin"]>;

const ORIGINS: Readonly<Record<Origin, string>> = {
  owner: msg("from you"),
  agent: msg("by the assistant"),
  untrusted: msg("may be text of others"),
  system: msg("by a heartbeat or a job"),
};

const FINDINGS: Readonly<Record<MemoryFinding["type"], string>> = {
  untrusted: msg("Text of others"),
  junk: msg("Left over"),
  duplicate: msg("Said twice"),
  "over-budget": msg("Too long"),
  secret: msg("Secret"),
};

const KINDS: Readonly<Record<string, string>> = {
  "model requests": msg("requests to models"),
  "files kept for /undo": msg("files kept for /undo"),
  "contents kept for /undo": msg("files kept for /undo, not in use"),
  "decisions on tool calls": msg("decisions on tool calls"),
  "background commands": msg("background commands"),
  "exchanges between sessions": msg("exchanges between conversations"),
  "runs of jobs": msg("runs of jobs"),
  jobs: msg("jobs"),
  "sent or waiting messages": msg("sent or waiting messages"),
  "received messages": msg("received messages"),
  "entries of conversations": msg("entries of conversations"),
  turns: msg("turns"),
  sessions: msg("sessions"),
  conversations: msg("conversations"),
  "notes of channels": msg("notes of channels"),
  "plain files of conversations": msg("plain files of conversations"),
  "received and sent files": msg("received and sent files"),
  "files of sandboxes": msg("files of sandboxes"),
  "versions of notes": msg("versions of notes"),
  "indexes of memory": msg("indexes of memory, built again by themselves"),
  logs: msg("logs"),
  "older copies of the database": msg("older copies of the database"),
};

/** Who wrote something, in words. */
export function originText(origin: Origin): string {
  return t(ORIGINS[origin]);
}

/** What is wrong with an entry, in a word or two. */
export function findingText(type: MemoryFinding["type"]): string {
  return t(FINDINGS[type]);
}

/** What forgetting calls a kind of rows or files, in words. */
export function kindText(kind: string): string {
  const known = KINDS[kind];
  return known === undefined ? kind : t(known);
}
