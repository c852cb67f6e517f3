import type { DeadLetter } from "../port/outbox-records.ts";
import type { Page } from "../port/page.ts";
import type { Store } from "../port/store.ts";
import type { Tables } from "./tables/tables.ts";
import { decodePosition, encodeId } from "./values/sequence-id.ts";

/** Dead letters that one call purges at most. */
const PURGE_LIMIT = 500;

/** A position after every row that a cursor can still encode. */
const START = 32 ** 10 - 1;

/** Inputs and outgoing rows that were given up, as one list. */
export class DeadLetters {
  readonly #tables: Pick<Tables, "inbox" | "outbox">;

  constructor(tables: Pick<Tables, "inbox" | "outbox">) {
    this.#tables = tables;
  }

  /** Merges two lists that are read newest first; the cursor holds a position in each. */
  list({ type, limit, cursor }: Parameters<Store["listDeadLetters"]>[0]): Page<DeadLetter> {
    let [inputsBefore, rowsBefore] = cursor === undefined ? [START, START] : parseCursor(cursor);
    const inputs = type === "outbound" ? [] : this.#tables.inbox.listDead(inputsBefore, limit + 1);
    const rows = type === "input" ? [] : this.#tables.outbox.listGivenUp(rowsBefore, limit + 1);
    const items: DeadLetter[] = [];
    let inputAt = 0;
    let rowAt = 0;
    while (items.length < limit) {
      const input = inputs[inputAt];
      const row = rows[rowAt];
      const next = row === undefined || (input !== undefined && input.failedAtMs >= row.failedAtMs) ? input : row;
      if (next === undefined) break;
      if (next.type === "input") {
        inputAt += 1;
        inputsBefore = decodePosition("i", next.id);
      } else {
        rowAt += 1;
        rowsBefore = decodePosition("o", next.id);
      }
      items.push(next);
    }
    const hasMore = inputAt < inputs.length || rowAt < rows.length;
    return hasMore ? { items, cursor: `${encodeId("p", inputsBefore)}.${encodeId("p", rowsBefore)}` } : { items };
  }

  read(id: string): DeadLetter | undefined {
    return this.#tables.inbox.readDead(id) ?? this.#tables.outbox.readGivenUp(id);
  }

  purge(which: Parameters<Store["purgeDeadLetters"]>[0], nowMs: number): number {
    const { inbox, outbox } = this.#tables;
    if ("ids" in which) return which.ids.filter((id) => inbox.purge(id, nowMs) || outbox.purge(id)).length;
    const inputs = inbox.deadBefore(which.failedBeforeMs, PURGE_LIMIT).filter((id) => inbox.purge(id, nowMs)).length;
    return inputs + outbox.purgeBefore(which.failedBeforeMs, PURGE_LIMIT - inputs);
  }
}

function parseCursor(cursor: string): [number, number] {
  const [inputs = "", rows = ""] = cursor.split(".");
  return [decodePosition("p", inputs), decodePosition("p", rows)];
}
