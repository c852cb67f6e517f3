export { checkLedger } from "./check-ledger.ts";
export type { Ledger, LedgerInput, LedgerReport, LedgerVerdict, ObservedSend } from "./ledger.ts";
export { describeLedger } from "./describe-ledger.ts";
