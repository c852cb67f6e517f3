import type { CheckpointLimits, CheckpointRecord, NewCheckpoint, SavedCheckpoints } from "../../port/checkpoint-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalText, textOf, type Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** What a row counts at least against the limits: a small file takes a block and a row, too, and so the number of rows is bounded. */
const MIN_BYTES = 16 * 1024;

type CheckpointPayload = Pick<CheckpointRecord, "sessionId" | "owner" | "before" | "written" | "isMixed" | "createdAtMs">;

/** Files that turns have changed, one row per turn and path. The checksum covers the path, so that a damaged row restores nothing elsewhere. */
export class CheckpointTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  ofTurn(turnId: string): readonly CheckpointRecord[] {
    return this.#context.database.all("SELECT * FROM checkpoints WHERE turn_id = ? ORDER BY n", turnId).flatMap((row) => this.#decode(row));
  }

  #save({ sessionKey, turnId, path, ...payload }: NewCheckpoint): void {
    const { before, sessionId } = payload;
    const text = JSON.stringify(payload satisfies CheckpointPayload);
    this.#context.database.run(
      `INSERT INTO checkpoints (session_key, session_id, turn_id, path, digest, bytes, is_refused, payload, sum) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)
       ON CONFLICT (turn_id, path) DO UPDATE SET digest = excluded.digest, bytes = excluded.bytes, payload = excluded.payload, sum = excluded.sum`,
      sessionKey,
      sessionId,
      turnId,
      path,
      before.type === "kept" ? before.digest : null,
      Math.max(MIN_BYTES, before.type === "kept" ? before.sizeBytes : 0),
      text,
      checksum(text, [sessionKey, turnId, path]),
    );
  }

  list(sessionKey: string, limit: number): readonly CheckpointRecord[] {
    const turns = this.#context.database.all(
      "SELECT turn_id, MAX(n) AS newest FROM checkpoints WHERE session_key = ? GROUP BY turn_id ORDER BY newest DESC LIMIT ?",
      sessionKey,
      limit,
    );
    return turns.flatMap((row) => this.ofTurn(textOf(row, "turn_id")));
  }

  settle({ removed, refused }: { readonly removed: readonly string[]; readonly refused: readonly string[] }): readonly string[] {
    const { database } = this.#context;
    const digests = removed.flatMap((id) => digestsOf(database.all("DELETE FROM checkpoints WHERE n = ? RETURNING digest", Number(id))));
    for (const id of refused) database.run("UPDATE checkpoints SET is_refused = 1 WHERE n = ?", Number(id));
    return this.#orphansOf(digests);
  }

  removeConversation(sessionId: string): void {
    this.#context.database.run("DELETE FROM checkpoints WHERE session_id = ?", sessionId);
  }

  save(checkpoints: readonly NewCheckpoint[], { maxSessionBytes, maxTotalBytes }: CheckpointLimits): SavedCheckpoints {
    for (const checkpoint of checkpoints) this.#save(checkpoint);
    const { database } = this.#context;
    const { sessionKey = "", turnId = "" } = checkpoints[0] ?? {};
    const session = this.#prune(
      () => database.get("SELECT coalesce(sum(bytes), 0) AS bytes FROM checkpoints WHERE session_key = ?", sessionKey),
      () => database.get("SELECT turn_id FROM checkpoints WHERE session_key = ? AND turn_id <> ? ORDER BY n LIMIT 1", sessionKey, turnId),
      maxSessionBytes,
    );
    const total = this.#prune(
      () => database.get("SELECT coalesce(sum(bytes), 0) AS bytes FROM checkpoints"),
      () => database.get("SELECT turn_id FROM checkpoints WHERE turn_id <> ? ORDER BY n LIMIT 1", turnId),
      maxTotalBytes,
    );
    return {
      isOverLimit: session.isOverLimit || total.isOverLimit,
      orphans: this.#orphansOf([...session.digests, ...total.digests]),
    };
  }

  /** Of these digests, those that a row refers to. */
  findDigests(digests: readonly string[]): ReadonlySet<string> {
    const { database } = this.#context;
    return new Set(digests.filter((digest) => database.get("SELECT 1 FROM checkpoints WHERE digest = ? LIMIT 1", digest) !== undefined));
  }

  /** Removes whole turns until the rest fits. */
  #prune(
    used: () => Row | undefined,
    oldest: () => Row | undefined,
    maxBytes: number,
  ): { readonly digests: readonly string[]; readonly isOverLimit: boolean } {
    const digests: string[] = [];
    for (let row = used(); row !== undefined && numberOf(row, "bytes") > maxBytes; row = used()) {
      const turn = oldest();
      if (turn === undefined) return { digests, isOverLimit: true };
      digests.push(
        ...digestsOf(this.#context.database.all("DELETE FROM checkpoints WHERE turn_id = ? RETURNING digest", textOf(turn, "turn_id"))),
      );
    }
    return { digests, isOverLimit: false };
  }

  #orphansOf(digests: readonly string[]): readonly string[] {
    const unique = new Set(digests);
    return [...unique.difference(this.findDigests([...unique]))];
  }

  #decode(row: Row): readonly CheckpointRecord[] {
    const [sessionKey, turnId, path] = [textOf(row, "session_key"), textOf(row, "turn_id"), textOf(row, "path")];
    const id = numberOf(row, "n");
    try {
      const payload = parseChecked<CheckpointPayload>(row["payload"], row["sum"], [sessionKey, turnId, path]);
      return [{ id: String(id), sessionKey, turnId, path, isRefused: numberOf(row, "is_refused") === 1, ...payload }];
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "checkpoint", id: path, sessionKey }, () => {
        this.#context.database.run("DELETE FROM checkpoints WHERE n = ?", id);
      });
      return [];
    }
  }
}

function digestsOf(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) => optionalText(row, "digest") ?? []);
}
