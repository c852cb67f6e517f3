import type { InputRecord } from "@factotum/store";

/** Per session; older events of platforms are dropped. */
const MAX_EVENTS = 50;

/**
 * Edits, deletions, reactions and the like, and system events, that wait for the next turn of their session, which shows them to its model. Their inputs stay `waiting` in the store
 * until that turn is committed, so that a restart collects them again and each is shown once.
 */
export class PendingEvents {
  readonly #events = new Map<string, readonly InputRecord[]>();

  /** Number of waiting events of all sessions. */
  get size(): number {
    return [...this.#events.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Adds an event and returns those that will not be shown: a superseded receipt, or the oldest event over the limit. */
  add(sessionKey: string, event: InputRecord): readonly InputRecord[] {
    const known = this.of(sessionKey).filter(({ id }) => id !== event.id);
    const superseded = known.filter((one) => isSuperseded(one, event));
    const all = [...known.filter((one) => !superseded.includes(one)), event];
    const dropped = all.filter(({ admission }) => admission.isEvent !== true).slice(0, Math.max(0, all.length - MAX_EVENTS));
    this.#events.set(
      sessionKey,
      all.filter((one) => !dropped.includes(one)),
    );
    return [...superseded, ...dropped];
  }

  /** True if a session has as many events as are kept: a system event must not be added. */
  isFull(sessionKey: string): boolean {
    return this.of(sessionKey).filter(({ admission }) => admission.isEvent === true).length >= MAX_EVENTS;
  }

  /** The events of a session, oldest first. */
  of(sessionKey: string): readonly InputRecord[] {
    return this.#events.get(sessionKey) ?? [];
  }

  /** Removes shown events. */
  remove(sessionKey: string, events: readonly InputRecord[]): void {
    const left = this.of(sessionKey).filter(({ id }) => !events.some((event) => event.id === id));
    if (left.length === 0) this.#events.delete(sessionKey);
    else this.#events.set(sessionKey, left);
  }
}

/** A person's receipt includes all earlier ones of that person in the conversation. */
function isSuperseded({ message: earlier }: InputRecord, { message: later }: InputRecord): boolean {
  return (
    earlier.event.type === "receipt" &&
    later.event.type === "receipt" &&
    (earlier.event.state === "delivered" || later.event.state === "read") &&
    earlier.sender.id === later.sender.id &&
    earlier.origin.conversation.id === later.origin.conversation.id
  );
}
