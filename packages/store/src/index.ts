export { StoreError } from "./port/store-error.ts";
export type { StoreErrorCode } from "./port/store-error.ts";
export type { StoreDamage } from "./port/store-damage.ts";
export type { PendingCommit } from "./port/pending-commit.ts";
export type {
  AcceptedInput,
  ContextBounds,
  ImportedEntry,
  ImportedSession,
  ImportOptions,
  InputAnswer,
  MaintenanceOptions,
  NewOutbound,
  NewRequest,
  NewSession,
  NewTurn,
  NotesFile,
  Page,
  RecentContext,
  SessionPatch,
  SessionTouch,
  SettledInputs,
  StartedTurn,
  Store,
  StoreCounts,
  TurnEnd,
} from "./port/store.ts";
export type {
  ConversationRecord,
  CoveredSpan,
  DeadLetter,
  InputAdmission,
  InputRecord,
  InputState,
  OutboxDelay,
  OutboxRecord,
  OutboxState,
  OutboxTransition,
  PromptOutline,
  PromptRecord,
  RequestOutcome,
  RequestBody,
  RequestRecord,
  RequestSettings,
  RequestView,
  SessionOverrides,
  SessionRecord,
  SessionTrust,
  SpendCharge,
  SpendRecord,
  StoredOutbound,
  TerminalInputState,
  ToolJournalRecord,
  TranscriptBody,
  TranscriptEntry,
  TurnRecord,
  TurnState,
} from "./port/records.ts";
export { rejectionReason } from "./port/rejection-reason.ts";
export { DamageLog, readDamageEvents } from "./damage/damage-log.ts";
export type { DamageEvent } from "./damage/damage-event.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export { findPendingRecovery } from "./sqlite/recovery/pending-recovery.ts";
export type { PendingRecovery } from "./sqlite/recovery/pending-recovery.ts";
export type { StoreRecovery } from "./sqlite/recovery/store-recovery.ts";
export type { SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStore } from "./sqlite/sqlite-store.ts";
export type { StoreMetrics } from "./sqlite/sqlite-store-parts.ts";
export type { CopyOptions } from "./copies/session-copier.ts";
export { exportSession } from "./session-file/export-session.ts";
export type { SessionFileHeader } from "./session-file/render-session-file.ts";
export { importSessionFile } from "./session-file/import-file.ts";
export type { ImportFileOptions } from "./session-file/import-file.ts";
export type { ImportedReport, ImportReport } from "./session-file/import-report.ts";
export type { ImportOwners } from "./session-file/place-import.ts";
export { createPortableLines } from "./session-file/portable-lines.ts";
export { renderEntry, renderHeader } from "./session-file/render-session-file.ts";
export { renderSessionEntry } from "./session-file/render-session-entry.ts";
export { importSession } from "./session-file/import-session.ts";
export type { ImportTarget } from "./session-file/import-session.ts";
export { importSessionFolder } from "./session-file/import-folder.ts";
export type { ImportFolderOptions } from "./session-file/import-folder.ts";
export { parseSessionFile } from "./session-file/parse-session-file.ts";
export type { ParsedSessionFile, SessionFile, SessionFileFacts, SessionFileProblem } from "./session-file/session-file.ts";
export type { SessionFileSource } from "./session-file/read-lines.ts";
export { isSafeSqlite } from "./sqlite/connection/sqlite-version.ts";
