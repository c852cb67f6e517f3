import { withoutUndefined } from "@factotum/agent-contract";
import { begunSpawn, isOpenSpawn } from "../../port/spawn-store.ts";
import type { SpawnEnd, SpawnRecord } from "../../port/spawn-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** The part of a row that the checksum covers; the other fields are columns. */
type SpawnPayload = Omit<SpawnRecord, "id" | "parentKey" | "childKey" | "state" | "depth" | "deadlineAtMs" | "announcedAtMs">;

/** Sub-agents, by the id of their run. */
export class SpawnTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add(spawn: SpawnRecord): void {
    checkKey("The id of a sub-agent", spawn.id);
    checkKey("The session key", spawn.childKey);
    const { id, parentKey, childKey, state, depth, deadlineAtMs } = spawn;
    const payload = JSON.stringify(payloadOf(spawn));
    this.#context.database.run(
      `INSERT INTO spawns (run_id, parent_key, child_key, state, depth, deadline_at, payload, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      parentKey,
      childKey,
      state,
      depth,
      deadlineAtMs,
      payload,
      checksum(payload, [id]),
    );
  }

  /** A run of it begins. No-op for one that is running. */
  begin(childKey: string, startedAtMs: number): void {
    const spawn = this.ofChild(childKey);
    const begun = spawn === undefined ? undefined : begunSpawn(spawn, startedAtMs);
    if (begun !== undefined) this.#replace(begun);
  }

  /** The sub-agent whose session this is. */
  ofChild(childKey: string): SpawnRecord | undefined {
    const row = this.#context.database.get("SELECT * FROM spawns WHERE child_key = ?", childKey);
    return row === undefined ? undefined : this.#decode(row);
  }

  /** Ends an open sub-agent, or a run after which it stays open; `undefined` for an ended or an unknown one. */
  end(end: SpawnEnd, { isAnnounced }: { readonly isAnnounced: boolean }): SpawnRecord | undefined {
    const before = this.#read(end.id);
    if (before === undefined || !isOpenSpawn(before)) return undefined;
    const { result: _result, reason: _reason, announcedAtMs: _told, ...rest } = before;
    const { state, result, reason, endedAtMs, idleUntilMs } = end;
    const ended: SpawnRecord = {
      ...rest,
      ...(idleUntilMs === undefined
        ? { state, endedAtMs }
        : { state: "idle", deadlineAtMs: idleUntilMs, reports: (before.reports ?? 0) + 1 }),
      ...withoutUndefined({ result, reason, announcedAtMs: isAnnounced ? endedAtMs : undefined }),
    };
    this.#replace(ended);
    return ended;
  }

  /** The sub-agent before its end; `undefined` for an ended or an unknown one. */
  readOpen(id: string): SpawnRecord | undefined {
    const spawn = this.#read(id);
    return spawn !== undefined && isOpenSpawn(spawn) ? spawn : undefined;
  }

  /** Marks open ones as awaited. */
  awaitAll(ids: readonly string[]): void {
    for (const id of ids) {
      const spawn = this.readOpen(id);
      if (spawn !== undefined) this.#replace({ ...spawn, isAwaited: true });
    }
  }

  announce(id: string, nowMs: number): void {
    const spawn = this.#read(id);
    if (spawn?.announcedAtMs === undefined && spawn !== undefined) this.#replace({ ...spawn, announcedAtMs: nowMs });
  }

  list(): readonly SpawnRecord[] {
    return this.#context.database
      .all("SELECT * FROM spawns")
      .flatMap((row) => this.#decode(row) ?? [])
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  }

  /** Removes the row of a session, unless its end is still to be reported. */
  removeChild(childKey: string): void {
    this.#context.database.run("DELETE FROM spawns WHERE child_key = ? AND announced_at IS NOT NULL", childKey);
  }

  /** Removes reported ones whose session is gone or never existed; returns how many. */
  prune(beforeMs: number, limit: number): number {
    return this.#context.database.run(
      `DELETE FROM spawns WHERE run_id IN (SELECT run_id FROM spawns WHERE announced_at < ?
         AND child_key NOT IN (SELECT key FROM sessions) LIMIT ?)`,
      beforeMs,
      limit,
    );
  }

  #read(id: string): SpawnRecord | undefined {
    const row = this.#context.database.get("SELECT * FROM spawns WHERE run_id = ?", id);
    return row === undefined ? undefined : this.#decode(row);
  }

  #replace(spawn: SpawnRecord): void {
    const payload = JSON.stringify(payloadOf(spawn));
    this.#context.database.run(
      "UPDATE spawns SET state = ?, deadline_at = ?, announced_at = ?, payload = ?, sum = ? WHERE run_id = ?",
      spawn.state,
      spawn.deadlineAtMs,
      spawn.announcedAtMs ?? null,
      payload,
      checksum(payload, [spawn.id]),
      spawn.id,
    );
  }

  #decode(row: Row): SpawnRecord | undefined {
    const id = textOf(row, "run_id");
    try {
      const announcedAtMs = optionalNumber(row, "announced_at");
      return {
        id,
        parentKey: textOf(row, "parent_key"),
        childKey: textOf(row, "child_key"),
        state: textOf(row, "state") as SpawnRecord["state"],
        depth: numberOf(row, "depth"),
        deadlineAtMs: numberOf(row, "deadline_at"),
        ...parseChecked<SpawnPayload>(row["payload"], row["sum"], [id]),
        ...withoutUndefined({ announcedAtMs }),
      };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "spawn", id }, () => void this.#context.database.run("DELETE FROM spawns WHERE run_id = ?", id));
      return undefined;
    }
  }
}

function payloadOf(spawn: SpawnRecord): SpawnPayload {
  const {
    id: _id,
    parentKey: _parent,
    childKey: _child,
    state: _state,
    depth: _depth,
    deadlineAtMs: _at,
    announcedAtMs: _told,
    ...rest
  } = spawn;
  return rest;
}
