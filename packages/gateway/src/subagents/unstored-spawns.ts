import type { NewSpawn, TranscriptBody } from "@factotum/store";

/** Sub-agents that are accepted and not stored yet, by the turn that has started them. */
export class UnstoredSpawns {
  readonly #byTurn = new Map<string, readonly NewSpawn[]>();

  add(turnId: string, accepted: NewSpawn): void {
    this.#byTurn.set(turnId, [...(this.#byTurn.get(turnId) ?? []), accepted]);
  }

  /** Those that a session has started. */
  of(sessionKey: string): readonly NewSpawn[] {
    return [...this.#byTurn.values()].flat().filter(({ spawn }) => spawn.parentKey === sessionKey);
  }

  /** Marks those of a session as awaited: they are stored like that. */
  markAwaited(sessionKey: string): void {
    for (const [turnId, accepted] of this.#byTurn)
      this.#byTurn.set(
        turnId,
        accepted.map((one) => (one.spawn.parentKey === sessionKey ? { ...one, spawn: { ...one.spawn, isAwaited: true } } : one)),
      );
  }

  /** Removes and returns those of a turn. */
  drop(turnId: string): readonly NewSpawn[] {
    const dropped = this.#byTurn.get(turnId) ?? [];
    this.#byTurn.delete(turnId);
    return dropped;
  }

  /** Removes and returns those of a turn whose calls have their result among these entries. */
  take(turnId: string, entries: readonly TranscriptBody[]): readonly NewSpawn[] {
    const accepted = this.#byTurn.get(turnId);
    if (accepted === undefined) return [];
    const ids = new Set(entries.flatMap(startedId));
    this.#byTurn.set(
      turnId,
      accepted.filter(({ spawn }) => !ids.has(spawn.id)),
    );
    return accepted.filter(({ spawn }) => ids.has(spawn.id));
  }
}

/** The sub-agent that a call has started, by its result. */
function startedId(entry: TranscriptBody): readonly string[] {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return [];
  const { details } = entry.message;
  const runId = typeof details === "object" && details !== null && "runId" in details ? details["runId"] : undefined;
  return typeof runId === "string" ? [runId] : [];
}
