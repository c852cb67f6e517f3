import type { FocusRecord } from "../../port/focus-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Conversations that are focused on other sessions; a row is removed when its conversation is released. */
export class FocusTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  put({ key, ...rest }: FocusRecord): void {
    checkKey("The conversation", key);
    const payload = JSON.stringify(rest);
    this.#context.database.run(
      "INSERT INTO focuses (key, payload, sum) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, sum = excluded.sum",
      key,
      payload,
      checksum(payload, [key]),
    );
  }

  list(): readonly FocusRecord[] {
    const rows = this.#context.database.all("SELECT key, payload, sum FROM focuses ORDER BY n");
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  remove(key: string): void {
    this.#context.database.run("DELETE FROM focuses WHERE key = ?", key);
  }

  #decode(row: Row): FocusRecord | undefined {
    const key = textOf(row, "key");
    try {
      return { key, ...parseChecked<Omit<FocusRecord, "key">>(row["payload"], row["sum"], [key]) };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "focus", id: key }, () => this.remove(key));
      return undefined;
    }
  }
}
