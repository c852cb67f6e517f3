export { StoreError } from "./port/store-error.ts";
export type { StoreErrorCode } from "./port/store-error.ts";
export type { StoreDamage } from "./port/store-damage.ts";
export type {
  ImportedEntry,
  ImportedSession,
  MaintenanceOptions,
  NewOutbound,
  NewSession,
  NewTurn,
  Page,
  SessionPatch,
  SessionTouch,
  Store,
  StoreCounts,
  TurnEnd,
} from "./port/store.ts";
export type {
  InputAdmission,
  InputRecord,
  InputState,
  OutboxRecord,
  OutboxState,
  OutboxTransition,
  PromptRecord,
  SessionOverrides,
  SessionRecord,
  StoredOutbound,
  TerminalInputState,
  ToolJournalRecord,
  TranscriptBody,
  TranscriptEntry,
  TurnRecord,
} from "./port/records.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStore, StoreMetrics } from "./sqlite/sqlite-store.ts";
export type { CopyOptions } from "./copies/session-copier.ts";
