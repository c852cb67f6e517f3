import type { Store, PendingCommit } from "@factotum/store";
import type { StorageGuard } from "./storage-guard.ts";

/**
 * How a call behaves on a full disk. `take`: refused at once, so that the caller keeps its data. `hold`: it waits for space. `attempt`: it fails, and the
 * caller retries later. `optimistic`: like `take`, and its commit, which follows, may fail for lack of space too. `read`: it needs no space.
 */
type Rule = "take" | "hold" | "attempt" | "optimistic" | "read";

/** A method without a row does not compile. */
const RULES: { readonly [Method in keyof Store]: Rule } = {
  acceptInput: "take",
  acceptInputOptimistic: "optimistic",
  commitProgress: "take",
  readCursor: "read",
  readAccountState: "read",
  listAccountState: "read",
  listMoves: "read",
  addCommand: "take",
  listCommands: "read",
  removeCommand: "hold",
  putExchange: "hold",
  listExchanges: "read",
  removeExchange: "hold",
  putFocus: "take",
  listFocuses: "read",
  removeFocus: "take",
  putJob: "take",
  readJob: "read",
  listJobs: "read",
  removeJob: "take",
  claimOccurrences: "attempt",
  putOccurrence: "hold",
  addReceipt: "hold",
  listOccurrences: "read",
  listOpenOccurrences: "read",
  listInputs: "read",
  readInput: "read",
  findInput: "read",
  listRecentInputs: "read",
  beginInputs: "hold",
  releaseInputs: "hold",
  settleInputs: "hold",
  requestPairing: "hold",
  requestApproval: "hold",
  readApproval: "read",
  listApprovals: "read",
  listGrants: "read",
  findGrant: "read",
  decideApproval: "take",
  answerQuestion: "take",
  moveApproval: "hold",
  listPairings: "read",
  findPairing: "read",
  hasEverPaired: "read",
  approvePairing: "take",
  rejectPairing: "take",
  revokePairing: "take",
  startTurn: "hold",
  startTurnOptimistic: "optimistic",
  joinTurn: "hold",
  appendToTurn: "hold",
  endTurn: "hold",
  resumeTurns: "hold",
  beginAttempt: "hold",
  releaseAttempt: "hold",
  readTurn: "read",
  findTurn: "read",
  readLastTurn: "read",
  listAborted: "read",
  readJournal: "read",
  readSession: "read",
  findSession: "read",
  listSessions: "read",
  createSession: "hold",
  patchSession: "hold",
  resetSession: "hold",
  importSession: "take",
  deleteSession: "hold",
  listIdleSessions: "read",
  listConversations: "read",
  deleteConversation: "attempt",
  usedBytes: "read",
  listExpiredSessions: "read",
  appendEntry: "hold",
  hasTurnFrom: "read",
  hasOutbound: "read",
  listSentMessage: "read",
  hasReceived: "read",
  findNotice: "read",
  readTranscript: "read",
  readContext: "read",
  readRecentContext: "read",
  exportTranscript: "read",
  scanEntries: "read",
  savePrompt: "hold",
  readPrompt: "read",
  listRequests: "read",
  listRequestUsage: "read",
  oldestRequestMs: "read",
  listSpend: "read",
  readRequest: "read",
  readRequestBody: "read",
  appendSpawns: "hold",
  endSpawn: "hold",
  awaitSpawns: "hold",
  announceSpawn: "hold",
  listSpawns: "read",
  addOutbound: "hold",
  readOutbound: "read",
  findOutbound: "read",
  listPendingOutbound: "read",
  claimOutbound: "hold",
  replaceOutbound: "hold",
  settleOutbound: "hold",
  listDeadLetters: "read",
  readDeadLetter: "read",
  reviveInput: "take",
  reviveOutbound: "take",
  purgeDeadLetters: "take",
  addSpend: "hold",
  readSpend: "read",
  readTreeSpend: "read",
  addTaintedBlocks: "take",
  hasTaintedBlocks: "read",
  readTaintedBlocks: "read",
  addNoteEntries: "take",
  readNoteEntries: "read",
  readCheckpoints: "read",
  saveCheckpoints: "take",
  listCheckpoints: "read",
  settleCheckpoints: "take",
  findCheckpointDigests: "read",
  counts: "read",
  maintain: "attempt",
  flushCopies: "attempt",
  probe: "attempt",
  close: "read",
};

/** The store for the engine: writes without space follow their rule. Nothing else is changed. */
export function createGuardedStore(store: Store, guard: StorageGuard): Store {
  const methods = Object.entries(RULES).map(([name, rule]) => {
    const call = (store[name as keyof Store] as (...parameters: readonly unknown[]) => Promise<unknown>).bind(store);
    if (rule === "read") return [name, call] as const;
    if (rule === "optimistic") {
      const callOptimistic = async (...parameters: readonly unknown[]): Promise<PendingCommit<unknown>> => {
        const written = await guard.take(async () => (await call(...parameters)) as PendingCommit<unknown>);
        written.committed.catch((error: unknown) => guard.recordFailure(error));
        return written;
      };
      return [name, callOptimistic] as const;
    }
    return [name, async (...parameters: readonly unknown[]): Promise<unknown> => guard[rule](async () => call(...parameters))] as const;
  });
  // Every method of the port has a row, and keeps its parameters and its result.
  return Object.fromEntries(methods) as unknown as Store;
}
