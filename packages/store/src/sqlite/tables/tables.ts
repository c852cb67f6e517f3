import type { Database } from "../connection/database.ts";
import { InboxTable } from "./inbox-table.ts";
import { OutboxTable } from "./outbox-table.ts";
import { PromptTable } from "./prompt-table.ts";
import { RequestTable } from "./request-table.ts";
import { SessionTable } from "./session-table.ts";
import { SpendTable } from "./spend-table.ts";
import type { TableContext } from "./table-context.ts";
import { TaintedBlocksTable } from "./tainted-blocks-table.ts";
import { TranscriptTable } from "./transcript-table.ts";
import { TurnTable } from "./turn-table.ts";

/** Every table over one connection. */
export interface Tables {
  readonly database: Database;
  readonly inbox: InboxTable;
  readonly outbox: OutboxTable;
  readonly prompts: PromptTable;
  readonly requests: RequestTable;
  readonly sessions: SessionTable;
  readonly spend: SpendTable;
  readonly taintedBlocks: TaintedBlocksTable;
  readonly transcripts: TranscriptTable;
  readonly turns: TurnTable;
}

/** Builds the tables. */
export function createTables(context: TableContext): Tables {
  const transcripts = new TranscriptTable(context);
  return {
    database: context.database,
    inbox: new InboxTable(context),
    outbox: new OutboxTable(context),
    prompts: new PromptTable(context),
    requests: new RequestTable(context),
    sessions: new SessionTable(context, transcripts),
    spend: new SpendTable(context),
    taintedBlocks: new TaintedBlocksTable(context),
    transcripts,
    turns: new TurnTable(context),
  };
}
