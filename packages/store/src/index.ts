export { StoreError } from "./port/store-error.ts";
export type { StoreErrorCode } from "./port/store-error.ts";
export type { NewOutbound, NewSession, NewTurn, Page, SessionTouch, Store, StoreCounts, TurnEnd } from "./port/store.ts";
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
