import type { Logger } from "@factotum/agent-contract";
import type { SessionCopier } from "../copies/session-copier.ts";
import type { DamageLog } from "../damage/damage-log.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { IntegrityMonitor } from "./recovery/integrity-monitor.ts";
import type { Tables } from "./tables/tables.ts";
import type { Transactions } from "./transactions.ts";

/** Counters for tests and the bench. */
export interface StoreMetrics {
  /** Commits, each of which flushed once. */
  readonly commits: number;
  /** Writes that were committed; several share a commit. */
  readonly writes: number;
  /** Rows that queries have handed out. */
  readonly rowsRead: number;
}

/** The parts of a store. */
export interface SqliteStoreParts {
  readonly tables: Tables;
  readonly transactions: Transactions;
  readonly writer: GroupWriter;
  readonly copier: SessionCopier;
  readonly keeper: IntegrityMonitor;
  readonly damage: DamageLog;
  readonly databaseId: string;
  readonly logger: Logger;
}
