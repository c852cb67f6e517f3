import type { Origin } from "@factotum/channel-contract";
import type { DamageEvent, SessionRecord, SessionStore, TranscriptStore } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { Notices } from "./notices.ts";

/** Sessions searched for a chat to notify on each account, newest first. */
const SEARCHED_SESSIONS = 1000;

/**
 * Reports in chats and transcripts that the database was restored (R10): in every session that may have lost something, in the chat used last; on every account
 * of every channel without such a session, in the conversation used last there; and in every session rebuilt from its plain file, which does not record its chat,
 * once somebody writes in it.
 */
export class RecoveryNotices {
  readonly #store: SessionStore & TranscriptStore;
  readonly #notices: Notices;
  /** Rebuilt sessions whose chat is unknown yet. */
  readonly #unaddressed = new Map<string, DamageEvent>();

  constructor({ store, notices }: { readonly store: SessionStore & TranscriptStore; readonly notices: Notices }) {
    this.#store = store;
    this.#notices = notices;
  }

  /** Notifies everybody who was not notified of this event by an earlier call or process. */
  async notify(event: DamageEvent): Promise<void> {
    const rebuilt = new Set(event.rebuilt);
    // Synchronously for all: messages arrive while the store is read.
    for (const key of rebuilt) this.#unaddressed.set(key, event);
    for (const key of rebuilt) {
      if (!(await this.#isRecorded(event, key))) await this.#record(event, key, key);
      else if (await this.#hasSpoken(key)) this.#forget(event, key);
    }
    const notified = await this.#notifyAffected(event, rebuilt);
    const { items } = await this.#store.listSessions({ limit: SEARCHED_SESSIONS });
    for (const session of items) {
      const place = accountOf(session);
      if (notified.has(place) || rebuilt.has(session.key)) continue;
      notified.add(place);
      if (!(await this.#isRecorded(event, place))) await this.#report(event, session, place);
    }
  }

  /** Observes a message: its origin is the chat of its session. */
  async observe(sessionKey: string, origin: Origin): Promise<void> {
    const event = this.#unaddressed.get(sessionKey);
    if (event === undefined) return;
    this.#unaddressed.delete(sessionKey);
    await this.#say(event, sessionKey, origin);
  }

  /** Notifies the sessions that may have lost something, each chat once. Resolves with the accounts on which a chat was notified. */
  async #notifyAffected(event: DamageEvent, rebuilt: ReadonlySet<string>): Promise<Set<string>> {
    const accounts = new Set<string>();
    for (const key of event.affected ?? []) {
      const session = rebuilt.has(key) ? undefined : await this.#store.readSession(key);
      if (session === undefined) continue;
      accounts.add(accountOf(session));
      if (!(await this.#isRecorded(event, key))) await this.#report(event, session, key);
    }
    return accounts;
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
function accountOf({ lastOrigin }: SessionRecord): string {
  return lastOrigin === undefined ? "" : `${lastOrigin.channel}/${lastOrigin.accountId}`;
}

function noticeKey({ path = "" }: DamageEvent, place: string): string {
  return `recovery:${path}:${place}`;
}
