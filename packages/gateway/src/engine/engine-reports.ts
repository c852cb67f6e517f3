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
import type { SpendPause } from "../spend/spend-guard.ts";
import { SeparatedGuests } from "../sessions/separated-guests.ts";
import { SharedSessions } from "../sessions/shared-sessions.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { EngineParts } from "./engine-parts.ts";

/** Notifies people, in the background, of what happens to messages and sessions. Background notifications never throw or reject. */
export class EngineReports {
  readonly #parts: EngineParts;
  readonly #background: BackgroundWork;
  readonly #shared: SharedSessions;
  readonly #separated: SeparatedGuests;
  readonly #recoveries: RecoveryNotices;
  /** Sessions that were notified of damage. */
  readonly #damaged = new Set<string>();
  /** Conversations with expired messages and no accepted message since. */
  readonly #expired = new Set<string>();

  constructor(parts: EngineParts, background: BackgroundWork) {
    this.#parts = parts;
    this.#background = background;
    this.#shared = new SharedSessions(parts);
    this.#separated = new SeparatedGuests(parts);
    this.#recoveries = new RecoveryNotices(parts);
  }

  /** Loads what earlier processes have detected about shared sessions. */
  async recall(): Promise<void> {
    await this.#shared.recall();
  }

  /** The owner's sessions that receive messages from more than one person. */
  get sharedSessions(): readonly string[] {
    return this.#shared.keys;
  }

  /** A message will be late. */
  late(row: OutboxRecord, blocked: BlockedConversation): void {
    this.#background.add("delay notice", notifyDelayed(this.#parts, row, blocked));
  }

  /** Work of an agent is paused. */
  paused(sessionKey: string, pause: SpendPause): void {
    this.#background.add("pause notice", notifyPaused(this.#parts, sessionKey, pause));
  }

  /**
   * A stored row is damaged: its conversation is notified once per process, and of every message that is not sent because of it. Rows in delivery are reported
   * by the dispatcher, which knows their result. Prompts are rebuilt and stored requests are only for inspection, so neither is reported. Never throws.
   */
  damage(damage: StoreDamage): void {
    const { sessionKey = "", type } = damage;
    if (type === "prompt" || type === "request") return;
    if (type === "outbound" ? this.#parts.dispatcher.holds(damage.id) : this.#damaged.has(sessionKey)) return;
    if (type !== "outbound") this.#damaged.add(sessionKey);
    this.#background.add("damage notice", notifyDamaged(this.#parts, damage));
  }

  /** Reports on every channel that the database was restored, once, however often this is called. Never throws. */
  recovery(event: DamageEvent): void {
    this.#background.add("recovery notice", this.#recoveries.notify(event));
  }

  /** An account accepts messages, for the first time or again. */
  accountWorks(account: AccountAddress): void {
    this.#background.add("expiry notice", notifyExpired(account, this.#parts));
  }

  /** A row reached a final state. */
  settled(row: OutboxRecord): void {
    const { dispatcher, gates } = this.#parts;
    const key = conversationKey(row.target);
    if (row.state.type === "accepted" && this.#expired.delete(key)) this.accountWorks(row.target);
    if (row.state.type === "dead" && row.state.reason === EXPIRED_REASON) {
      // While nothing else can be sent there either, the next accepted message triggers the notice.
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

  /** A person's message has arrived. */
  messageReceived(route: Route, input: InputRecord, record: SessionRecord | undefined): void {
    this.#background.add("sharing notice", this.#shared.observe(route.sessionKey, input, record));
    this.#background.add("separation notice", this.#separated.observe(route, input));
    this.#background.add("recovery notice", this.#recoveries.observe(route.sessionKey, input.message.origin));
  }
}
