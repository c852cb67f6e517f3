import type { Database } from "../connection/database.ts";
import { AccountTable } from "./account-table.ts";
import { ApprovalTable } from "./approval-table.ts";
import { CommandTable } from "./command-table.ts";
import { CheckpointTable } from "./checkpoint-table.ts";
import { ConversationTable } from "./conversation-table.ts";
import { EntrySearch } from "./entry-search.ts";
import { ExchangeTable } from "./exchange-table.ts";
import { FocusTable } from "./focus-table.ts";
import { InboxTable } from "./inbox-table.ts";
import { JobTable } from "./job-table.ts";
import { MoveTable } from "./move-table.ts";
import { NoteEntriesTable } from "./note-entries-table.ts";
import { OutboxTable } from "./outbox-table.ts";
import { PairingTable } from "./pairing-table.ts";
import { PromptTable } from "./prompt-table.ts";
import { RequestTable } from "./request-table.ts";
import { SentMessageTable } from "./sent-message-table.ts";
import { SessionTable } from "./session-table.ts";
import { SpawnTable } from "./spawn-table.ts";
import { SpendTable } from "./spend-table.ts";
import type { TableContext } from "./table-context.ts";
import { TaintedBlocksTable } from "./tainted-blocks-table.ts";
import { TranscriptTable } from "./transcript-table.ts";
import { TurnTable } from "./turn-table.ts";

/** Every table over one connection. */
export interface Tables {
  readonly database: Database;
  readonly accounts: AccountTable;
  readonly approvals: ApprovalTable;
  readonly commands: CommandTable;
  readonly checkpoints: CheckpointTable;
  readonly conversations: ConversationTable;
  readonly entrySearch: EntrySearch;
  readonly exchanges: ExchangeTable;
  readonly focuses: FocusTable;
  readonly inbox: InboxTable;
  readonly jobs: JobTable;
  readonly moves: MoveTable;
  readonly noteEntries: NoteEntriesTable;
  readonly outbox: OutboxTable;
  readonly pairings: PairingTable;
  readonly prompts: PromptTable;
  readonly requests: RequestTable;
  readonly sentMessages: SentMessageTable;
  readonly sessions: SessionTable;
  readonly spawns: SpawnTable;
  readonly spend: SpendTable;
  readonly taintedBlocks: TaintedBlocksTable;
  readonly transcripts: TranscriptTable;
  readonly turns: TurnTable;
}

/** Builds the tables. */
export function createTables(context: TableContext): Tables {
  const conversations = new ConversationTable(context);
  const sentMessages = new SentMessageTable(context);
  const transcripts = new TranscriptTable(context, conversations);
  return {
    database: context.database,
    accounts: new AccountTable(context),
    approvals: new ApprovalTable(context),
    commands: new CommandTable(context),
    checkpoints: new CheckpointTable(context),
    conversations,
    entrySearch: new EntrySearch(context, transcripts.branches),
    exchanges: new ExchangeTable(context),
    focuses: new FocusTable(context),
    inbox: new InboxTable(context),
    jobs: new JobTable(context),
    moves: new MoveTable(context),
    noteEntries: new NoteEntriesTable(context),
    outbox: new OutboxTable(context, sentMessages),
    pairings: new PairingTable(context),
    prompts: new PromptTable(context),
    requests: new RequestTable(context),
    sentMessages,
    sessions: new SessionTable(context, conversations),
    spawns: new SpawnTable(context),
    spend: new SpendTable(context),
    taintedBlocks: new TaintedBlocksTable(context),
    transcripts,
    turns: new TurnTable(context),
  };
}
