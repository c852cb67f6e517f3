import type { CommandRecord } from "../../port/command-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Background commands whose end has not been reported yet: as many as run, and no more. */
export class CommandTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add({ id, ...rest }: CommandRecord): void {
    checkKey("The id of a command", id);
    const payload = JSON.stringify(rest);
    const added = this.#context.database.run(
      "INSERT INTO background_commands (id, payload, sum) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      id,
      payload,
      checksum(payload, [id]),
    );
    if (added === 0) throw new StoreError("conflict", `There is a command ${id}.`);
  }

  list(): readonly CommandRecord[] {
    const rows = this.#context.database.all("SELECT id, payload, sum FROM background_commands ORDER BY n");
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  remove(id: string): void {
    this.#context.database.run("DELETE FROM background_commands WHERE id = ?", id);
  }

  #decode(row: Row): CommandRecord | undefined {
    const id = textOf(row, "id");
    try {
      return { id, ...parseChecked<Omit<CommandRecord, "id">>(row["payload"], row["sum"], [id]) };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "command", id }, () => this.remove(id));
      return undefined;
    }
  }
}
