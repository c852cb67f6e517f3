export { StoreError } from "./port/store-error.ts";
export type { StoreErrorCode } from "./port/store-error.ts";
export type { StoreDamage } from "./port/store-damage.ts";
export type { OptimisticWrites, PendingCommit } from "./port/optimistic-writes.ts";
export type { AccountKey, AccountStore } from "./port/account-store.ts";
export type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalState,
  ApprovalStore,
  GrantQuery,
  NewApproval,
  QuestionAnswer,
} from "./port/approval-store.ts";
export type { BoundProgram, JobAuthority, JobRecord, JobStore, OccurrenceRecord, ProgramGrant } from "./port/job-store.ts";
export type { CommandRecord, CommandStore } from "./port/command-store.ts";
export type { ExchangeRecord, ExchangeStore } from "./port/exchange-store.ts";
export type { FocusRecord, FocusStore } from "./port/focus-store.ts";
export type { AcceptedInput, InboxStore, InputAnswer, OtherParts, SettledInputs } from "./port/inbox-store.ts";
export { MAX_BRANCHES } from "./port/transcript-store.ts";
export type { ContextBounds, EntryScan, EntryVersions, FoundEntry, RecentContext, TranscriptStore } from "./port/transcript-store.ts";
export type { ImportedEntry, ImportedSession, ImportOptions, NewSession, SessionPatch, SessionStore } from "./port/session-store.ts";
export type { MaintenanceOptions, Store, StoreCounts } from "./port/store.ts";
export type { NewPairing, PairingRecord, PairingRequest, PairingSender, PairingStore } from "./port/pairing-store.ts";
export type { KeyedNotice, NewOutbound, OutboxStore } from "./port/outbox-store.ts";
export type { LedgerStore, NewRequest, NotesFile } from "./port/ledger-store.ts";
export { begunSpawn, isOpenSpawn, isWorkingSpawn } from "./port/spawn-store.ts";
export type { EndedSpawn, NewSpawn, OwnInput, SpawnEnd, SpawnEndState, SpawnRecord, SpawnState, SpawnStore } from "./port/spawn-store.ts";
export type { EndedTurn, NewTurn, SessionTouch, StartedTurn, TurnEnd, TurnStore } from "./port/turn-store.ts";
export type {
  CheckpointBefore,
  CheckpointLimits,
  CheckpointRecord,
  CheckpointStore,
  NewCheckpoint,
  SavedCheckpoints,
} from "./port/checkpoint-store.ts";
export type { Page } from "./port/page.ts";
export type { ConversationMove, NewMove } from "./port/move-records.ts";
export type {
  BroadcastPart,
  ClientResult,
  AgentToAgentStep,
  CompletionFacts,
  InputAdmission,
  InputAuthor,
  InputRecord,
  InputSource,
  TaskBounds,
  RunConfinement,
  InputState,
  SpawnFacts,
  ForkedPrompt,
  TerminalInputState,
  TreeBudget,
} from "./port/inbox-records.ts";
export type {
  RequestOutcome,
  RequestBody,
  RequestRecord,
  RequestUsage,
  RequestSettings,
  RequestView,
  SpendCharge,
  TreeSpend,
  SpendRecord,
} from "./port/ledger-records.ts";
export type {
  CoveredSpan,
  DeadLetter,
  OutboxDelay,
  OutboxRecord,
  OutboxState,
  OutboxTransition,
  StoredFile,
  StoredOutbound,
} from "./port/outbox-records.ts";
export type { ConversationRecord, SessionOverrides, SessionRecord, SessionTrust } from "./port/session-records.ts";
export type { NoticeBlock, PromptOutline, PromptRecord, TranscriptBody, TranscriptEntry } from "./port/transcript-records.ts";
export type { ToolJournalRecord, TurnRecord, TurnState } from "./port/turn-records.ts";
export { rejectionReason } from "./port/rejection-reason.ts";
export { REMOVED_ACCOUNT_REASON } from "./port/removed-account-reason.ts";
export { checkFile as checkDatabaseFile } from "./sqlite/recovery/check-file.ts";
export { markDamaged as markDatabaseDamaged } from "./sqlite/recovery/damage-mark.ts";
export { findDatabaseOwner } from "./sqlite/connection/database-owner.ts";
export { copyDatabase } from "./sqlite/backup/copy-database.ts";
export { inspectDatabase } from "./sqlite/backup/inspect-database.ts";
export type { DatabaseFacts } from "./sqlite/backup/inspect-database.ts";
export { settleRestoredDatabase } from "./sqlite/backup/settle-restored.ts";
export type { SettleRestoredOptions } from "./sqlite/backup/settle-restored.ts";
export { beginForgetting } from "./sqlite/forget/begin-forgetting.ts";
export type { ForgetOptions, ForgottenCall, ForgottenConversation, OpenForgetting } from "./sqlite/forget/begin-forgetting.ts";
export { hasText } from "./sqlite/forget/forget-rules.ts";
export type { ForgetRules } from "./sqlite/forget/forget-rules.ts";
export { listOldCopies, removeOldCopies } from "./sqlite/forget/old-copies.ts";
export type { AbandonedWork } from "./sqlite/recovery/settle-copy.ts";
export { DamageLog, readDamageEvents } from "./damage/damage-log.ts";
export type { DamageEvent } from "./damage/damage-event.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export { findForeignDatabase } from "./sqlite/recovery/foreign-database.ts";
export type { ForeignDatabase } from "./sqlite/recovery/foreign-database.ts";
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
