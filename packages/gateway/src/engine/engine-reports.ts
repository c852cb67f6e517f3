import type { DamageEvent, InputRecord, OutboxRecord, SessionRecord, StoreDamage } from "@factotum/store";
import type { AccountAddress } from "../delivery/account-gates.ts";
import type { BlockedConversation } from "../delivery/blocked-conversations.ts";
import { EXPIRED_REASON } from "../delivery/expired-row.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import { rowIds } from "../kernel/row-ids.ts";
import { RecoveryNotices } from "../notices/recovery-notices.ts";
import { notifyDamaged, notifyDelayed, notifyPaused, notifyUndelivered } from "../notices/session-notices.ts";
import { notifyExpired } from "../notices/notify-expired.ts";
import type { Route } from "../routing/route.ts";
import { SeparatedGuests } from "../sessions/separated-guests.ts";
import { SharedSessions } from "../sessions/shared-sessions.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { EngineParts } from "./engine-parts.ts";

/** Tells people, in the background, what becomes of messages and sessions. What it tells in the background throws and rejects nothing. */
export class EngineReports {
  readonly #parts: EngineParts;
  readonly #background: BackgroundWork;
  readonly #shared: SharedSessions;
  readonly #separated: SeparatedGuests;
  readonly #recoveries: RecoveryNotices;
  /** Conversations that were told of damage. */
  readonly #damaged = new Set<string>();
  /** Conversations in which messages ran out of time and nothing was taken since. */
  readonly #expired = new Set<string>();

  constructor(parts: EngineParts, background: BackgroundWork) {
    this.#parts = parts;
    this.#background = background;
    this.#shared = new SharedSessions(parts);
    this.#separated = new SeparatedGuests(parts);
    this.#recoveries = new RecoveryNotices(parts);
  }

  /** Reads what earlier processes have found of shared sessions. */
  async recall(): Promise<void> {
    await this.#shared.recall();
  }

  /** The owner's sessions into which messages of more than one person come. */
  get sharedSessions(): readonly string[] {
    return this.#shared.keys;
  }

  /** A message will leave late. */
  late(row: OutboxRecord, blocked: BlockedConversation): void {
    this.#background.add("delay notice", notifyDelayed(this.#parts, row, blocked));
  }

  /** Unattended work of an agent pauses. */
  paused(sessionKey: string, message: string): void {
    this.#background.add("pause notice", notifyPaused(this.#parts, sessionKey, message));
  }

  /**
   * A stored row is not what was written: its conversation is told, once while this process runs, and of every message that is not sent for it. Of one
   * that is in delivery, delivery tells: it knows what became of it. Prompts are made anew and kept requests are for looking at: of those nobody is
   * told. Never throws.
   */
  damage(damage: StoreDamage): void {
    const { sessionKey = "", type } = damage;
    if (type === "prompt" || type === "request") return;
    if (type === "outbound" ? this.#parts.dispatcher.holds(damage.id) : this.#damaged.has(sessionKey)) return;
    if (type !== "outbound") this.#damaged.add(sessionKey);
    this.#background.add("damage notice", notifyDamaged(this.#parts, damage));
  }

  /** Says on every channel that the database was restored, once, however often it is reported. Never throws. */
  recovery(event: DamageEvent): void {
    this.#background.add("recovery notice", this.#recoveries.notify(event));
  }

  /** An account takes messages, for the first time or again. */
  accountWorks(account: AccountAddress): void {
    this.#background.add("expiry notice", notifyExpired(account, this.#parts));
  }

  /** What became of a message. */
  settled(row: OutboxRecord): void {
    const { dispatcher, gates } = this.#parts;
    const key = conversationKey(row.target);
    if (row.state.type === "accepted" && this.#expired.delete(key)) this.accountWorks(row.target);
    if (row.state.type === "dead" && row.state.reason === EXPIRED_REASON) {
      // While its account or what stands behind it cannot leave either, the next message that is taken there brings the notice.
      if (gates.isWorking(row.target) && dispatcher.waitingFor(row.target) === 0) this.accountWorks(row.target);
      else this.#expired.add(key);
    }
    if (row.state.type !== "dead" && row.state.type !== "ambiguous") return;
    const { logger } = this.#parts;
    logger.error("A message could not be delivered", {
      ...rowIds(row),
      sessionKey: row.sessionKey,
      state: row.state.type,
      reason: row.state.reason,
    });
    this.#background.add("undelivered notice", notifyUndelivered(this.#parts, row));
  }

  /** Somebody has said something. */
  messageReceived(route: Route, input: InputRecord, record: SessionRecord | undefined): void {
    this.#background.add("sharing notice", this.#shared.observe(route.sessionKey, input, record));
    this.#background.add("separation notice", this.#separated.observe(route, input));
    this.#background.add("recovery notice", this.#recoveries.observe(route.sessionKey, input.message.origin));
  }
}
