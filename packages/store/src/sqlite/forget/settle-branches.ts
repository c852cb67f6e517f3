import type { DatabaseSync } from "node:sqlite";
import { IS_PERSONS, ON_PATH } from "../tables/branch-table.ts";
import { numberOf } from "../values/row.ts";
import { decodeId, encodeId } from "../values/sequence-id.ts";
import { forksOf, isOnPath, newestEndOf, pathAt } from "../values/transcript-path.ts";
import type { BranchPoint } from "../values/transcript-path.ts";

const ENTRY_FACTS = "conversation, parent, turn, type, at";
/** Larger than the number of any entry. */
const LATEST = Number.MAX_SAFE_INTEGER;

/**
 * Lets the branches of conversations that have lost entries continue what is left: a branch from a forgotten entry continues the one before it on its path, and
 * where the shown version of a message is gone, the newest other one is shown. Call it when the entries are gone, before the commit.
 */
export function settleBranches(connection: DatabaseSync): void {
  const rows = connection
    .prepare(
      "SELECT DISTINCT conversation FROM transcript WHERE type = 'branch' AND conversation IN (SELECT n FROM forgotten_conversations)",
    )
    .all();
  for (const row of rows) new BranchSettler(connection, numberOf(row, "conversation")).settle();
}

class BranchSettler {
  readonly #connection: DatabaseSync;
  readonly #conversation: number;

  constructor(connection: DatabaseSync, conversation: number) {
    this.#connection = connection;
    this.#conversation = conversation;
  }

  settle(): void {
    const before = this.#points();
    const settled = before.map(({ id, after }) => ({ id, after: this.#last(before, after) }));
    for (const [index, point] of settled.entries()) if (point.after !== before[index]?.after) this.#save(point);
    const chosen = this.#otherVersion(before, settled);
    if (chosen !== undefined) this.#save(chosen, { isChoice: true });
  }

  /** The newest point as it leads to another version of the message that it has shown; `undefined` if that is not gone, or the only one. */
  #otherVersion(before: readonly BranchPoint[], settled: readonly BranchPoint[]): BranchPoint | undefined {
    const open = settled.at(-1);
    if (open === undefined || !this.#hasLost(open, before.at(-1))) return undefined;
    const [first] = this.#messagesOf([open.id, LATEST]);
    if (first !== undefined) return undefined;
    const versions = forksOf(settled)
      .find((ranges) => ranges.some(([from]) => from === open.id))
      ?.flatMap((range) => this.#messagesOf(range));
    const newest = versions?.at(-1);
    if (newest === undefined || versions?.some((id) => isOnPath(pathAt(settled), id)) === true) return undefined;
    return { id: open.id, after: this.#last(settled, newestEndOf(settled, newest) ?? newest) };
  }

  /** True if entries are gone that stood behind the newest point, or at the end of the branch that it continued. */
  #hasLost(open: BranchPoint, before: BranchPoint | undefined): boolean {
    if (before?.after !== open.after && !this.#isVersion(open)) return true;
    const sql = "SELECT 1 AS found FROM forgotten_entries WHERE conversation = ? AND id > ? LIMIT 1";
    return this.#connection.prepare(sql).get(this.#conversation, open.id) !== undefined;
  }

  /** A point that was made for another version of a message, whose turn may still be to come. */
  #isVersion({ id }: BranchPoint): boolean {
    return this.#connection.prepare("SELECT 1 AS found FROM transcript WHERE id = ? AND key IS NOT NULL").get(id) !== undefined;
  }

  #points(): readonly BranchPoint[] {
    const rows = this.#connection
      .prepare(
        `SELECT id, payload ->> '$.after' AS after FROM transcript
         WHERE conversation = ? AND type = 'branch' AND damaged = 0 AND sum = sum_of(payload, ${ENTRY_FACTS}) ORDER BY id`,
      )
      .all(this.#conversation);
    return rows.map((row) => ({ id: numberOf(row, "id"), after: decodeId("e", String(row["after"] ?? "")) ?? 0 }));
  }

  /** The last entry of the path that ends at a position; 0 without one. */
  #last(points: readonly BranchPoint[], end: number): number {
    const row = this.#connection
      .prepare(`SELECT coalesce(max(id), 0) AS last FROM transcript WHERE conversation = ? AND id <= ? AND type <> 'branch' AND ${ON_PATH}`)
      .get(this.#conversation, end, JSON.stringify(pathAt(points, end)));
    return row === undefined ? 0 : numberOf(row, "last");
  }

  /** The first message of a person between two positions. */
  #messagesOf([after, before]: readonly [after: number, before: number]): readonly number[] {
    const sql = `SELECT id FROM transcript WHERE conversation = ? AND id > ? AND id < ? AND ${IS_PERSONS} ORDER BY id LIMIT 1`;
    return this.#connection
      .prepare(sql)
      .all(this.#conversation, after, before)
      .map((row) => numberOf(row, "id"));
  }

  /** A choice is not the branch of a message. */
  #save({ id, after }: BranchPoint, { isChoice = false }: { readonly isChoice?: boolean } = {}): void {
    if (isChoice)
      this.#connection.prepare("UPDATE transcript SET payload = json_remove(payload, '$.key'), key = NULL WHERE id = ?").run(id);
    this.#connection
      .prepare(
        after === 0
          ? "UPDATE transcript SET payload = json_remove(payload, '$.after') WHERE id = ?1"
          : "UPDATE transcript SET payload = json_set(payload, '$.after', ?2) WHERE id = ?1",
      )
      .run(...(after === 0 ? [id] : [id, encodeId("e", after)]));
    this.#connection.prepare(`UPDATE transcript SET sum = sum_of(payload, ${ENTRY_FACTS}) WHERE id = ?`).run(id);
  }
}
