import type { ExchangeRecord } from "../../port/exchange-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Open exchanges between sessions; a row is removed when its exchange ends. */
export class ExchangeTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  put({ id, ...rest }: ExchangeRecord): void {
    checkKey("The id of an exchange", id);
    const payload = JSON.stringify(rest);
    this.#context.database.run(
      "INSERT INTO exchanges (id, payload, sum) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, sum = excluded.sum",
      id,
      payload,
      checksum(payload, [id]),
    );
  }

  list(): readonly ExchangeRecord[] {
    const rows = this.#context.database.all("SELECT id, payload, sum FROM exchanges ORDER BY n");
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  remove(id: string): void {
    this.#context.database.run("DELETE FROM exchanges WHERE id = ?", id);
  }

  #decode(row: Row): ExchangeRecord | undefined {
    const id = textOf(row, "id");
    try {
      return { id, ...parseChecked<Omit<ExchangeRecord, "id">>(row["payload"], row["sum"], [id]) };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "exchange", id }, () => this.remove(id));
      return undefined;
    }
  }
}
