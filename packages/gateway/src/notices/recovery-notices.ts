import type { Origin } from "@factotum/channel-contract";
import type { DamageEvent, SessionRecord, SessionStore, TranscriptStore } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { Notices } from "./notices.ts";

/** Sessions searched for a chat to notify on each account, newest first. */
const SEARCHED_SESSIONS = 1000;

/**
 * Reports in chats and transcripts that the database was restored (R10): in every session that may have lost something, in the chat used last; on every account
 * of every channel without such a session, in the conversation used last there; and in every session rebuilt from its plain file, which does not record its chat,
 * once somebody writes in it. If no session is left, every account is notified in the chat that is used first.
 */
export class RecoveryNotices {
  readonly #store: SessionStore & TranscriptStore;
  readonly #notices: Notices;
  /** Rebuilt sessions whose chat is unknown yet. */
  readonly #unaddressed = new Map<string, DamageEvent>();

  /** The accounts notified of events that no session is known for. */
  readonly #accounts = new Map<DamageEvent, Set<string>>();

  constructor({ store, notices }: { readonly store: SessionStore & TranscriptStore; readonly notices: Notices }) {
    this.#store = store;
    this.#notices = notices;
  }

  /** Notifies everybody who was not notified of this event by an earlier call or process. */
  async notify(event: DamageEvent): Promise<void> {
    const rebuilt = new Set(event.rebuilt);
    // Synchronously for all: messages arrive while the store is read.
    for (const key of rebuilt) this.#unaddressed.set(key, event);
    const accounts = new Set<string>();
    if (!event.isComplete && rebuilt.size === 0 && (event.affected ?? []).length === 0) this.#accounts.set(event, accounts);
    for (const key of rebuilt) {
      if (!(await this.#isRecorded(event, key))) await this.#record(event, key, key);
      else if (await this.#hasSpoken(key)) this.#forget(event, key);
    }
    await this.#notifyAffected(event, rebuilt, accounts);
    const { items } = await this.#store.listSessions({ limit: SEARCHED_SESSIONS });
    for (const session of items) {
      const place = accountOf(session);
      if (accounts.has(place) || rebuilt.has(session.key)) continue;
      accounts.add(place);
      if (!(await this.#isRecorded(event, place))) await this.#report(event, session, place);
    }
  }

  /** Observes a message: its origin is the chat of its session. */
  async observe(sessionKey: string, origin: Origin): Promise<void> {
    const event = this.#unaddressed.get(sessionKey);
    this.#unaddressed.delete(sessionKey);
    if (event !== undefined) await this.#say(event, sessionKey, origin);
    const place = accountOf({ lastOrigin: origin });
    for (const [unplaced, accounts] of this.#accounts) {
      if (accounts.has(place)) continue;
      accounts.add(place);
      if (!(await this.#isRecorded(unplaced, place))) await this.#say(unplaced, sessionKey, origin);
    }
  }

  /** Notifies the sessions that may have lost something, each chat once. Adds the accounts on which a chat was notified. */
  async #notifyAffected(event: DamageEvent, rebuilt: ReadonlySet<string>, accounts: Set<string>): Promise<void> {
    for (const key of event.affected ?? []) {
      const session = rebuilt.has(key) ? undefined : await this.#store.readSession(key);
      if (session === undefined) continue;
      accounts.add(accountOf(session));
      if (!(await this.#isRecorded(event, key))) await this.#report(event, session, key);
    }
  }

  /** The chat comes first, because the entry in the transcript records that the notice is done. */
  async #report(event: DamageEvent, { key, lastOrigin }: SessionRecord, place: string): Promise<void> {
    if (lastOrigin !== undefined) await this.#say(event, key, lastOrigin);
    await this.#record(event, key, place);
  }

  /** A rebuilt session has a last origin only after somebody wrote in it, who was notified by an earlier process then. */
  async #hasSpoken(sessionKey: string): Promise<boolean> {
    return (await this.#store.readSession(sessionKey))?.lastOrigin !== undefined;
  }

  #forget(event: DamageEvent, sessionKey: string): void {
    if (this.#unaddressed.get(sessionKey) === event) this.#unaddressed.delete(sessionKey);
  }

  async #isRecorded(event: DamageEvent, place: string): Promise<boolean> {
    return (await this.#store.findNotice(noticeKey(event, place))) !== undefined;
  }

  async #record(event: DamageEvent, sessionKey: string, place: string): Promise<void> {
    await this.#notices.addEntry(sessionKey, { level: "error", text: event.text, key: noticeKey(event, place) });
  }

  /** Sessions may share a chat: the notice is keyed by the chat, so that the outbox takes it once. */
  async #say({ text, path }: DamageEvent, sessionKey: string, target: Origin): Promise<void> {
    await this.#notices.sendToChat(sessionKey, target, { text, identity: ["recovery", path ?? "", conversationKey(target)] });
  }
}

/** Empty for a session without a chat. */
function accountOf({ lastOrigin }: Pick<SessionRecord, "lastOrigin">): string {
  return lastOrigin === undefined ? "" : `${lastOrigin.channel}/${lastOrigin.accountId}`;
}

function noticeKey({ path = "" }: DamageEvent, place: string): string {
  return `recovery:${path}:${place}`;
}
