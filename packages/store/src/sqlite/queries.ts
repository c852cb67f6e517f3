import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { UsageTotals } from "@factotum/agent-contract";
import type { Page } from "../port/page.ts";
import type { RequestRecord } from "../port/ledger-records.ts";
import type { PromptRecord, TranscriptEntry } from "../port/transcript-records.ts";
import type { TurnRecord, TurnState } from "../port/turn-records.ts";
import type { Store, StoreCounts } from "../port/store.ts";
import type { EntryVersions } from "../port/transcript-store.ts";
import type { NewestTurn } from "./tables/turn-table.ts";
import type { Tables } from "./tables/tables.ts";
import { numberOf, textOf } from "./values/row.ts";

/** The reads that touch several tables. A session id that does not exist has nothing: no turn, no prompt, an empty page. */
export class Queries {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  findTurn(sessionId: string, number: number): TurnRecord | undefined {
    const conversation = this.#tables.conversations.find(sessionId);
    return conversation === undefined ? undefined : this.#tables.turns.find(conversation, number);
  }

  lastTurn(sessionId: string, except: readonly TurnRecord["kind"][]): TurnState | undefined {
    const conversation = this.#tables.conversations.find(sessionId);
    return conversation === undefined ? undefined : this.#tables.turns.last(conversation, except);
  }

  abortedAmong(sessionIds: readonly string[], except: readonly TurnRecord["kind"][]): ReadonlySet<string> {
    const newest = this.#tables.turns.newest(sessionIds);
    const isAborted = ({ sessionId, kind, state }: NewestTurn): boolean =>
      (except.includes(kind) ? this.lastTurn(sessionId, except)?.state : state) === "aborted";
    return new Set(newest.filter(isAborted).map(({ sessionId }) => sessionId));
  }

  context(sessionId: string, options?: { readonly at: string }): readonly TranscriptEntry[] {
    const { conversations, transcripts } = this.#tables;
    if (options === undefined) return transcripts.context(sessionId);
    const conversation = conversations.find(sessionId);
    return conversation === undefined ? [] : transcripts.contextAt(conversation, options.at);
  }

  versions(sessionId: string): readonly EntryVersions[] {
    const conversation = this.#tables.conversations.find(sessionId);
    return conversation === undefined ? [] : this.#tables.transcripts.branches.versions(conversation);
  }

  prompt(sessionId: string, options?: Parameters<Store["readPrompt"]>[1]): PromptRecord | undefined {
    const conversation = this.#tables.conversations.find(sessionId);
    return conversation === undefined ? undefined : this.#tables.prompts.read(conversation, options);
  }

  requests({ sessionId, turnId, ...page }: Parameters<Store["listRequests"]>[0]): Page<RequestRecord> {
    const { conversations, turns, requests } = this.#tables;
    const conversation = conversations.find(sessionId);
    if (conversation === undefined) return { items: [] };
    return requests.list(conversation, { ...page, ...(turnId === undefined ? {} : { turn: turns.sequenceOf(turnId) }) });
  }

  counts(): StoreCounts {
    const { database, inbox, outbox } = this.#tables;
    const outboxOldestMs = outbox.oldestPendingMs();
    const row = database.get("SELECT sessions, usage FROM totals WHERE id = 1");
    return {
      sessions: row === undefined ? 0 : numberOf(row, "sessions"),
      inputsWaiting: inbox.count("waiting"),
      inputsDead: inbox.count("dead"),
      outboxWaiting: outbox.countPending(),
      ...withoutUndefined({ outboxOldestMs }),
      outboxDead: outbox.countGivenUp("dead"),
      outboxAmbiguous: outbox.countGivenUp("ambiguous"),
      usage: row === undefined ? NO_USAGE_TOTALS : (JSON.parse(textOf(row, "usage")) as UsageTotals),
    };
  }
}
