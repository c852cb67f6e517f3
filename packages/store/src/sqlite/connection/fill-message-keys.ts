import type { MsgContext } from "@factotum/channel-contract";
import { StoreError } from "../../port/store-error.ts";
import { parseChecked } from "../values/checksum.ts";
import { messageKeyOf } from "../values/input-keys.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { Database } from "./database.ts";

const PAGE = 500;

/**
 * Adds the message key to stored inputs. Of two inputs with one message, which an earlier version accepted both, the first gets the key; a damaged row gets
 * none.
 */
export function fillMessageKeys(database: Database): void {
  let after = 0;
  for (;;) {
    const rows = database.all("SELECT id, event_key, received_at, payload, sum FROM inbox WHERE id > ? ORDER BY id LIMIT ?", after, PAGE);
    for (const row of rows) {
      const key = keyOfRow(row);
      if (key !== undefined) database.run("UPDATE OR IGNORE inbox SET message_key = ? WHERE id = ?", key, numberOf(row, "id"));
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = numberOf(last, "id");
  }
}

function keyOfRow(row: Row): string | undefined {
  try {
    const facts = [textOf(row, "event_key"), numberOf(row, "received_at")];
    return messageKeyOf(parseChecked<{ readonly message: MsgContext }>(row["payload"], row["sum"], facts).message);
  } catch (error) {
    if (StoreError.isInstance(error)) return undefined;
    throw error;
  }
}
