import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { SessionRecord } from "../../port/session-records.ts";
import { StoreError } from "../../port/store-error.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";

/** The part of a session that is stored as JSON: everything that no query needs. */
export type SessionFacts = Pick<
  SessionRecord,
  | "displayName"
  | "spawnedBy"
  | "lastOrigin"
  | "overrides"
  | "usage"
  | "earlierUsage"
  | "compactionCount"
  | "memoryFlushAtMs"
  | "lastHeartbeat"
  | "importedAtMs"
  | "trust"
>;

/** The facts of a session as text, and their checksum. */
export function encodeFacts(session: SessionRecord): [string, number] {
  const { displayName, spawnedBy, lastOrigin, overrides, usage, earlierUsage, compactionCount } = session;
  const { memoryFlushAtMs, lastHeartbeat, importedAtMs, trust } = session;
  const common = { displayName, spawnedBy, lastOrigin, overrides, usage, earlierUsage, compactionCount };
  const facts = JSON.stringify({ ...common, memoryFlushAtMs, lastHeartbeat, importedAtMs, trust });
  return [facts, checksum(facts, [session.key, session.agentId, session.isPrivate ? 1 : 0])];
}

/** A row as a session; `undefined` if its facts are damaged. */
export function toSession(row: Row): SessionRecord | undefined {
  const isPrivate = numberOf(row, "is_private");
  const bound = [textOf(row, "key"), textOf(row, "agent_id"), isPrivate];
  try {
    return { ...frameOf(row), isPrivate: isPrivate === 1, ...parseChecked<SessionFacts>(row["facts"], row["sum"], bound) };
  } catch (error) {
    if (StoreError.isInstance(error)) return undefined;
    throw error;
  }
}

/** A row as a session whose facts are lost: with the cautious defaults. */
export function withDefaults(row: Row): SessionRecord {
  const displayName = textOf(row, "key");
  return { ...frameOf(row), isPrivate: false, displayName, overrides: {}, usage: NO_USAGE_TOTALS, compactionCount: 0 };
}

function frameOf(row: Row): Omit<SessionRecord, keyof SessionFacts | "isPrivate"> {
  const label = optionalText(row, "label");
  const expiresAtMs = optionalNumber(row, "expires_at");
  return {
    key: textOf(row, "key"),
    sessionId: textOf(row, "session_id"),
    agentId: textOf(row, "agent_id"),
    createdAtMs: numberOf(row, "created_at"),
    startedAtMs: numberOf(row, "started_at"),
    interactedAtMs: numberOf(row, "interacted_at"),
    updatedAtMs: numberOf(row, "updated_at"),
    ...withoutUndefined({ label, expiresAtMs }),
  };
}
