import type { Clock } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { FocusRecord, FocusStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { conversationKey } from "../kernel/conversation-key.ts";

const HOUR_MS = 3_600_000;

/** Conversations that may be focused at the same time. */
const MAX_FOCUSES = 500;

/** A use is stored again after this time: the idle limit is counted in hours. */
const USE_STEP_MS = 10 * 60_000;

/** What the book uses. */
export interface FocusBookParts {
  readonly store: FocusStore;
  readonly running: RunningConfig;
  readonly channels: Pick<ChannelRegistry, "moves">;
  readonly clock: Clock;
}

/** The focused conversations: as they are stored, and in memory, since every message asks. A conversation that has moved keeps its focus. */
export class FocusBook {
  readonly #parts: FocusBookParts;
  readonly #byKey = new Map<string, FocusRecord>();

  constructor(parts: FocusBookParts) {
    this.#parts = parts;
  }

  /** Reads the stored ones. */
  async recall(): Promise<void> {
    for (const focus of await this.#parts.store.listFocuses()) this.#byKey.set(focus.key, focus);
  }

  /** That of the conversation of a message, with its thread; expired or not. In a direct conversation everyone has their own. */
  of({ origin, sender }: Pick<MsgContext, "origin" | "sender">): FocusRecord | undefined {
    return this.#byKey.get(this.keyOf(origin, sender.id));
  }

  /** Oldest first. */
  list(): readonly FocusRecord[] {
    return [...this.#byKey.values()];
  }

  /** Those on a session. */
  onSession(sessionKey: string): readonly FocusRecord[] {
    return this.list().filter((focus) => focus.sessionKey === sessionKey);
  }

  /** Why one has ended by its limits; `undefined` while it has not. */
  expiry({ usedAtMs, createdAtMs }: FocusRecord): "idle" | "age" | undefined {
    const { idleHours, maxAgeHours } = this.#parts.running.config.session.threadBindings;
    const nowMs = this.#parts.clock.now();
    if (maxAgeHours > 0 && nowMs - createdAtMs >= maxAgeHours * HOUR_MS) return "age";
    return idleHours > 0 && nowMs - usedAtMs >= idleHours * HOUR_MS ? "idle" : undefined;
  }

  /** Focuses a conversation, instead of an earlier focus. False if too many are focused. Resolves when it is stored. */
  async put(origin: Origin, focus: Pick<FocusRecord, "sessionKey" | "agentId" | "senderId" | "isOwnThread">): Promise<boolean> {
    const key = this.keyOf(origin, focus.senderId);
    if (!this.#byKey.has(key) && this.#byKey.size >= MAX_FOCUSES) return false;
    const nowMs = this.#parts.clock.now();
    const record: FocusRecord = { key, origin, ...focus, createdAtMs: nowMs, usedAtMs: nowMs };
    await this.#parts.store.putFocus(record);
    this.#byKey.set(key, record);
    return true;
  }

  /** A message has used it. */
  async use(focus: FocusRecord): Promise<void> {
    const usedAtMs = this.#parts.clock.now();
    if (usedAtMs - focus.usedAtMs < USE_STEP_MS) return;
    this.#byKey.set(focus.key, { ...focus, usedAtMs });
    await this.#parts.store.putFocus({ ...focus, usedAtMs });
  }

  /** Releases a conversation, once. */
  async release({ key }: Pick<FocusRecord, "key">): Promise<void> {
    this.#byKey.delete(key);
    await this.#parts.store.removeFocus(key);
  }

  /** The key of a conversation that can be focused: in a direct one, with the person. */
  keyOf(origin: Origin, senderId: string | undefined): string {
    const key = conversationKey(this.#parts.channels.moves.original(origin));
    return origin.conversation.kind === "direct" && senderId !== undefined ? `${key} ${JSON.stringify(senderId)}` : key;
  }
}
