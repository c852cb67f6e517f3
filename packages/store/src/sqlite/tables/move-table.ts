import type { Conversation, Origin } from "@factotum/channel-contract";
import type { AccountKey } from "../../port/account-store.ts";
import type { ConversationMove } from "../../port/move-records.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

type MovePayload = Pick<ConversationMove, "from" | "to">;

/** New addresses of conversations. The checksum covers everything, so that a damaged row leads no message to another chat. */
export class MoveTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** Stores a move; `undefined` for one from an address that has moved before, or one that would lead back to it. */
  add(
    { channel, accountId, conversation }: Origin,
    { to, hasSession, atMs }: { readonly to: Conversation; readonly hasSession: boolean; readonly atMs: number },
  ): ConversationMove | undefined {
    const { threadId: _thread, ...from } = conversation;
    checkKey("The new address", to.id);
    if (this.#next({ channel, accountId }, from.id) !== undefined || this.#leadsTo({ channel, accountId }, to.id, from.id))
      return undefined;
    const isContinued = !hasSession && !this.#isContinuation({ channel, accountId }, to.id);
    const payload = JSON.stringify({ from, to } satisfies MovePayload);
    this.#context.database.run(
      "INSERT INTO moves (channel, account, from_id, to_id, is_continued, at, payload, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      channel,
      accountId,
      from.id,
      to.id,
      isContinued ? 1 : 0,
      atMs,
      payload,
      checksum(payload, [channel, accountId, from.id, to.id, isContinued ? 1 : 0, atMs]),
    );
    return { channel, accountId, from, to, isContinued, movedAtMs: atMs };
  }

  /** In the order of the moves. */
  list(): readonly ConversationMove[] {
    return this.#context.database.all("SELECT * FROM moves ORDER BY n").flatMap((row) => this.#decode(row) ?? []);
  }

  #next({ channel, accountId }: AccountKey, id: string): string | undefined {
    const row = this.#context.database.get(
      "SELECT to_id FROM moves WHERE channel = ? AND account = ? AND from_id = ?",
      channel,
      accountId,
      id,
    );
    return row === undefined ? undefined : textOf(row, "to_id");
  }

  /** True if the addresses after `id`, itself included, have `wanted` among them. A damaged row may have closed a circle. */
  #leadsTo(account: AccountKey, id: string, wanted: string): boolean {
    const seen = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = this.#next(account, at)) {
      if (at === wanted) return true;
      seen.add(at);
    }
    return false;
  }

  #isContinuation({ channel, accountId }: AccountKey, id: string): boolean {
    const found = this.#context.database.get(
      "SELECT 1 FROM moves WHERE channel = ? AND account = ? AND to_id = ? AND is_continued = 1 LIMIT 1",
      channel,
      accountId,
      id,
    );
    return found !== undefined;
  }

  #decode(row: Row): ConversationMove | undefined {
    const [channel, accountId, fromId] = [textOf(row, "channel"), textOf(row, "account"), textOf(row, "from_id")];
    const [isContinued, movedAtMs] = [numberOf(row, "is_continued"), numberOf(row, "at")];
    try {
      const facts = [channel, accountId, fromId, textOf(row, "to_id"), isContinued, movedAtMs];
      const { from, to } = parseChecked<MovePayload>(row["payload"], row["sum"], facts);
      return { channel, accountId, from, to, isContinued: isContinued === 1, movedAtMs };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "move", id: `${channel}:${accountId} ${fromId}` }, () => {
        this.#context.database.run("DELETE FROM moves WHERE n = ?", numberOf(row, "n"));
      });
      return undefined;
    }
  }
}
