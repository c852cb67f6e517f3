import type { InputRecord } from "@factotum/store";

/** Of one session; older ones are dropped. */
const MAX_EVENTS = 50;

/**
 * Edits, deletions, reactions and the like that wait for the next turn of their session, which shows them to its model. Their inputs stay `waiting` in the store
 * until that turn is committed, so that a restart collects them again and each is shown once.
 */
export class PendingEvents {
  readonly #events = new Map<string, readonly InputRecord[]>();

  /** How many wait in all sessions. */
  get size(): number {
    return [...this.#events.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Adds an event and returns those that are not to be shown any more: a receipt that is superseded, the oldest of too many. */
  add(sessionKey: string, event: InputRecord): readonly InputRecord[] {
    const known = this.of(sessionKey).filter(({ id }) => id !== event.id);
    const superseded = known.filter((one) => isSuperseded(one, event));
    const kept = [...known.filter((one) => !superseded.includes(one)), event];
    this.#events.set(sessionKey, kept.slice(-MAX_EVENTS));
    return [...superseded, ...kept.slice(0, -MAX_EVENTS)];
  }

  /** Those of a session, oldest first. */
  of(sessionKey: string): readonly InputRecord[] {
    return this.#events.get(sessionKey) ?? [];
  }

  /** Forgets what was shown. */
  remove(sessionKey: string, events: readonly InputRecord[]): void {
    const left = this.of(sessionKey).filter(({ id }) => !events.some((event) => event.id === id));
    if (left.length === 0) this.#events.delete(sessionKey);
    else this.#events.set(sessionKey, left);
  }
}

/** Somebody's receipt says everything that their earlier ones in the conversation said. */
function isSuperseded({ message: earlier }: InputRecord, { message: later }: InputRecord): boolean {
  return (
    earlier.event.type === "receipt" &&
    later.event.type === "receipt" &&
    (earlier.event.state === "delivered" || later.event.state === "read") &&
    earlier.sender.id === later.sender.id &&
    earlier.origin.conversation.id === later.origin.conversation.id
  );
}
