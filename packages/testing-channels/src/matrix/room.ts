import { relationIn, textOf } from "./event.ts";
import type { MatrixContent, StoredEvent } from "./event.ts";

/** One place of an event in the stream of the homeserver. An event that is delivered again has several. */
export interface StreamEntry {
  readonly position: number;
  /** What is given of it; something else than the event for what is no event. */
  readonly raw: unknown;
  readonly event: StoredEvent | undefined;
}

/** A room: its events, and the state that they make. */
export class MatrixRoom {
  readonly id: string;
  readonly stream: StreamEntry[] = [];
  readonly events: Map<string, StoredEvent> = new Map();
  readonly #state = new Map<string, StoredEvent>();

  constructor(id: string) {
    this.id = id;
  }

  /** Adds an event; without a position it is in no client's stream yet. */
  add(event: StoredEvent, position: number | undefined): void {
    this.events.set(event.event_id, event);
    if (position !== undefined) this.stream.push({ position, raw: event, event });
    if (event.state_key !== undefined) this.#state.set(keyOf(event.type, event.state_key), event);
  }

  state(type: string, key = ""): StoredEvent | undefined {
    return this.#state.get(keyOf(type, key));
  }

  get allState(): readonly StoredEvent[] {
    return [...this.#state.values()];
  }

  contentOf(type: string, key = ""): MatrixContent | undefined {
    return this.state(type, key)?.content;
  }

  /** `join`, `invite`, `leave`, `ban`; empty for somebody who was never here. */
  membershipOf(userId: string): string {
    return textOf(this.contentOf("m.room.member", userId) ?? {}, "membership");
  }

  /** Since when the membership is as it is: the position of its last change to another one. */
  membershipSince(userId: string): number {
    const changes = this.stream.filter(({ event }) => event?.type === "m.room.member" && event.state_key === userId);
    return (
      changes.findLast(({ event }) => textOf(event?.replaced?.content ?? {}, "membership") !== textOf(event?.content ?? {}, "membership"))
        ?.position ?? 0
    );
  }

  get members(): readonly StoredEvent[] {
    return this.allState.filter(({ type, content }) => type === "m.room.member" && content["membership"] === "join");
  }

  powerOf(userId: string): number {
    const { users, users_default: rest } = (this.contentOf("m.room.power_levels") ?? {}) as {
      readonly users?: Readonly<Record<string, number>>;
      readonly users_default?: number;
    };
    return users?.[userId] ?? rest ?? 0;
  }

  /** Events that are related to another one, oldest first, without removed ones. */
  relatedTo(eventId: string, type?: string): readonly StoredEvent[] {
    return [...this.events.values()].filter(({ content, redactedBy }) => {
      const relation = relationIn(content);
      return redactedBy === undefined && relation.eventId === eventId && (type === undefined || relation.type === type);
    });
  }

  /** The newest valid edit of a message. */
  editOf({ event_id: id, sender }: StoredEvent): StoredEvent | undefined {
    return this.relatedTo(id, "m.replace").findLast((edit) => edit.sender === sender);
  }

  get isEncrypted(): boolean {
    return this.state("m.room.encryption") !== undefined;
  }
}

function keyOf(type: string, key: string): string {
  return `${type}\n${key}`;
}
