import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { isOpenSpawn } from "@factotum/store";
import type { FocusRecord, InputAdmission, InputRecord, SpawnRecord, Store } from "@factotum/store";
import { SessionFinder } from "../agent-sessions/session-finder.ts";
import { SessionReach } from "../agent-sessions/session-reach.ts";
import type { TargetSession } from "../agent-sessions/session-reach.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { isPrivateTurn } from "../conversation/session-context.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { isOwnAddress } from "../delivery/plan-message.ts";
import type { Notices } from "../notices/notices.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { bindToSubagent } from "../subagents/bind-to-subagent.ts";
import { isPosition, namedSpawns, spawnsCalled } from "../subagents/named-spawns.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import { spawnTitle } from "../subagents/spawn-title.ts";
import { createThread } from "./create-thread.ts";
import { FocusAccess } from "./focus-access.ts";
import type { FocusedMessage } from "./focus-access.ts";
import { FocusBook } from "./focus-book.ts";
import { FocusOrder } from "./focus-order.ts";
import type { OrderedMessage } from "./focus-order.ts";

const MAX_NAME_CHARS = 80;

/** What focuses use. */
export interface SessionFocusParts {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly policy: InputPolicy;
  readonly subagents: SessionSubagents;
  readonly notices: Pick<Notices, "sendToChat">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True for a message that is a command which changes the focus of its conversation. */
  readonly isChange: (message: MsgContext) => boolean;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** What became of a wish to focus. `refused` says what to do. */
export type FocusChange =
  | { readonly type: "done"; readonly name: string; readonly isForOthers: boolean; readonly isReadByOthers: boolean }
  | { readonly type: "refused"; readonly message: string };

const NOT_FOUND = "There is no such session within reach of this conversation. /subagents lists its sub-agents.";
const SEVERAL = "Several agents answer this conversation, so it cannot be focused. Use another chat.";
const HELD_BACK = "Replies are held back here, so there is nothing to focus. /send shows why.";
const ONE_TASK =
  'It ends with its result. /subagents steer <n> <text> tells it something until then; a sub-agent that stays open is started with mode "session".';

/**
 * Conversations that are focused on another session than their own: what is said there goes to that session, with the rights that its sender has anyway, and is
 * answered where it was said (R4, R19).
 */
export class SessionFocus {
  readonly #parts: SessionFocusParts;
  readonly #book: FocusBook;
  readonly #access: FocusAccess;
  readonly #finder: SessionFinder;
  readonly #order = new FocusOrder();
  readonly #closing = new AbortController();
  /** By session: threads that are being created. */
  readonly #opening = new Map<string, Promise<void>>();
  #lastOpening: Promise<void> = Promise.resolve();

  constructor(parts: SessionFocusParts) {
    this.#parts = parts;
    const reach = new SessionReach(parts);
    this.#book = new FocusBook(parts);
    this.#access = new FocusAccess({ ...parts, reach });
    this.#finder = new SessionFinder({ ...parts, reach });
    parts.subagents.observe({
      onOpened: (spawn) => {
        // One after the other: two that were asked for in one message may not take the same thread.
        const opened = this.#lastOpening.then(async () => this.#openThread(spawn)).finally(() => this.#opening.delete(spawn.childKey));
        this.#lastOpening = opened.catch(() => undefined);
        this.#opening.set(spawn.childKey, opened);
        parts.inBackground("thread of a sub-agent", opened);
      },
      onClosed: (spawn) => parts.inBackground("end of a focus", this.#closed(spawn)),
      threadOf: async (sessionKey) => this.#threadOf(sessionKey),
    });
  }

  /** Reads the stored ones, and releases the conversations of sessions that are gone. Call it after sub-agents were read. */
  async recall(): Promise<void> {
    const { store, subagents } = this.#parts;
    await this.#book.recall();
    for (const focus of this.#book.list()) {
      const spawn = subagents.ofSession(focus.sessionKey);
      if (spawn !== undefined && !isOpenSpawn(spawn)) await this.#closed(spawn);
      else if (spawn === undefined && (await store.readSession(focus.sessionKey)) === undefined) await this.#book.release(focus);
    }
  }

  /** Creates no further thread. */
  close(): void {
    this.#closing.abort();
  }

  /** A channel's message arrives: it waits for commands before it that change the focus of its conversation. Dispose of it when the message is admitted. */
  async enter(message: MsgContext): Promise<Disposable> {
    return this.#order.enter(this.#ordered(message), { isChange: this.#parts.isChange(message) });
  }

  /** The work of a command, during which messages of its conversation wait if it changes the focus. Call it before anything after the command is admitted. */
  async during(message: MsgContext, work: Promise<void>): Promise<void> {
    if (this.#parts.isChange(message)) this.#order.carriedOut(this.#ordered(message), work);
    return work;
  }

  /**
   * What an input is committed with: a message of a focused conversation names the session that it goes to, and what a person writes to a sub-agent is bound to
   * what the sub-agent is bound to.
   */
  async admissionOf(said: Pick<InputRecord, "message" | "admission">): Promise<InputAdmission> {
    const { admission } = said;
    const { subagents } = this.#parts;
    if (!RUN_POLICY[admission.kind].isFromPerson) return admission;
    const focused = admission.sessionKey === undefined ? await this.#focused(said) : admission;
    if (focused.sessionKey === undefined) return focused;
    return bindToSubagent(focused, await this.#ownSettings(focused.sessionKey, subagents.boundsOf(focused.sessionKey)));
  }

  /** What the conversation of a message is focused on. */
  of(message: Pick<MsgContext, "origin" | "sender">): FocusRecord | undefined {
    const focus = this.#book.of(message);
    return focus === undefined || this.#book.expiry(focus) !== undefined ? undefined : focus;
  }

  /** The conversations that are focused on a session. */
  onSession(sessionKey: string): readonly FocusRecord[] {
    return this.#book.onSession(sessionKey).filter((focus) => this.#book.expiry(focus) === undefined);
  }

  /** A session, for people: the label or the task of a sub-agent, else the key. */
  nameOf(sessionKey: string): string {
    const spawn = this.#parts.subagents.ofSession(sessionKey);
    return spawn === undefined ? `the session ${sessionKey}` : `the sub-agent "${spawnTitle(spawn, MAX_NAME_CHARS)}"`;
  }

  /** Focuses the conversation of a message. `listed`: the sub-agents that a number or a name may mean. */
  async focus(said: FocusedMessage, named: string, listed: readonly SpawnRecord[]): Promise<FocusChange> {
    const { channels, policy } = this.#parts;
    const { message } = said;
    if (policy.broadcastAgents(message) !== undefined) return { type: "refused", message: SEVERAL };
    const found = await this.#find(said, named, listed);
    if ("refusal" in found) return { type: "refused", message: found.refusal };
    const name = this.nameOf(found.key);
    if (isOwnAddress(message.origin, channels))
      return { type: "refused", message: `Open the session ${found.key} here: what you write there goes to ${name}, and nowhere else.` };
    const { origin, sender } = message;
    if (await isSuppressed({ sessionKey: said.own.sessionKey, origin }, this.#parts)) return { type: "refused", message: HELD_BACK };
    const senderId = origin.conversation.kind === "direct" ? sender.id : undefined;
    const isPut = await this.#book.put(origin, { sessionKey: found.key, agentId: found.agentId, ...withoutUndefined({ senderId }) });
    if (!isPut) return { type: "refused", message: "Too many conversations are focused. Release one of them with /unfocus." };
    const others = { ...said, admission: { ...said.admission, owner: false } };
    const isForOthers = senderId !== undefined || (await this.#access.may(others, found));
    return { type: "done", name, isForOthers, isReadByOthers: senderId !== undefined && said.admission.owner && !found.isPrivate };
  }

  /** Releases the conversation of a message; the name of what it was focused on. */
  async unfocus(message: Pick<MsgContext, "origin" | "sender">): Promise<string | undefined> {
    const focus = this.#book.of(message);
    if (focus === undefined) return undefined;
    await this.#book.release(focus);
    return this.nameOf(focus.sessionKey);
  }

  #ordered({ origin, sender, eventId }: MsgContext): OrderedMessage {
    return { conversation: this.#book.keyOf(origin, sender.id), id: JSON.stringify([origin.channel, origin.accountId, eventId]) };
  }

  async #focused({ message, admission }: Pick<InputRecord, "message" | "admission">): Promise<InputAdmission> {
    const { policy, store, subagents, inBackground } = this.#parts;
    const { origin, sender } = message;
    const focus = this.#book.of(message);
    if (focus === undefined || admission.broadcast !== undefined) return admission;
    const { sessionKey, agentId } = policy.routeOfSender(origin, sender.id, sender.roles);
    const own = { sessionKey, agentId };
    const expiry = this.#book.expiry(focus);
    const record = await store.readSession(focus.sessionKey);
    if (expiry !== undefined || record === undefined || subagents.hasEnded(focus.sessionKey)) {
      await this.#book.release(focus);
      if (expiry !== undefined && policy.admits({ message, admission })) await this.#sayExpired(focus, own.sessionKey, expiry);
      return admission;
    }
    // Answers that are held back here are held back wherever they come from.
    if (await isSuppressed({ sessionKey, origin }, this.#parts)) return admission;
    if (!(await this.#access.may({ message, admission, own }, record))) return admission;
    if (policy.admits({ message, admission })) inBackground("use of a focus", this.#book.use(focus));
    return {
      ...admission,
      sessionKey: focus.sessionKey,
      agentId: focus.agentId,
      focus: own,
      ...(admission.owner ? { isListedOwner: true } : {}),
    };
  }

  /** The settings of the conversation have precedence over those that a sub-agent was started with. */
  async #ownSettings(
    sessionKey: string,
    bounds: ReturnType<SessionSubagents["boundsOf"]>,
  ): Promise<ReturnType<SessionSubagents["boundsOf"]>> {
    if (bounds?.job === undefined) return bounds;
    const overrides = (await this.#parts.store.readSession(sessionKey))?.overrides;
    const { model, thinking, ...job } = bounds.job;
    const settings = withoutUndefined({
      model: overrides?.model === undefined ? model : undefined,
      thinking: overrides?.thinking === undefined ? thinking : undefined,
    });
    return { ...bounds, job: { ...job, ...settings } };
  }

  async #find(
    said: FocusedMessage,
    named: string,
    listed: readonly SpawnRecord[],
  ): Promise<(TargetSession & { readonly refusal?: never }) | { readonly refusal: string }> {
    const { store, subagents } = this.#parts;
    const spawn = openFirst(namedSpawns(named, listed)) ?? (await this.#reachable(said, named));
    const key = spawn?.childKey ?? (await this.#keyNamed(said, named));
    const record = key === undefined ? undefined : await store.readSession(key);
    if (record === undefined || record.key === said.own.sessionKey || !(await this.#access.may(said, record)))
      return { refusal: spawn?.state === "queued" ? "It has not begun yet. Try again in a moment." : NOT_FOUND };
    const known = subagents.ofSession(record.key);
    if (subagents.hasEnded(record.key)) return { refusal: "It has ended. /subagents lists those that are open." };
    if (known !== undefined && known.isPersistent !== true) return { refusal: ONE_TASK };
    return record;
  }

  /** The only open sub-agent of other conversations that has this name and is within the sender's reach. */
  async #reachable(said: FocusedMessage, named: string): Promise<SpawnRecord | undefined> {
    const { store, subagents } = this.#parts;
    // A number is a position in the list alone.
    if (isPosition(named)) return undefined;
    const found: SpawnRecord[] = [];
    for (const spawn of spawnsCalled(named, subagents.book.open())) {
      const record = await store.readSession(spawn.childKey);
      if (record !== undefined && (await this.#access.may(said, record))) found.push(spawn);
    }
    return found.length === 1 ? found[0] : undefined;
  }

  /** The key of the session that a label, a key or the beginning of an id names, of those that the sender may see. */
  async #keyNamed({ admission, message, own }: FocusedMessage, named: string): Promise<string | undefined> {
    const { store } = this.#parts;
    const isDirect = message.origin.conversation.kind === "direct";
    const record = await store.readSession(own.sessionKey);
    const isPrivate = isPrivateTurn({ record, isGroup: !isDirect }, admission.owner);
    const caller = { run: { ...own, owner: admission.owner }, tainted: false, isPrivate, isConfined: false };
    const found =
      (await this.#finder.find({ label: named }, "see", caller)) ?? (await this.#finder.find({ sessionKey: named }, "see", caller));
    return found?.key;
  }

  /** The thread of a sub-agent, where the conversation that started it may be answered. */
  async #threadOf(sessionKey: string): Promise<Origin | undefined> {
    // What cannot be created is reported where it is created.
    await this.#opening.get(sessionKey)?.catch(() => undefined);
    const thread = this.#book.onSession(sessionKey).find(({ isOwnThread }) => isOwnThread === true)?.origin;
    const parentKey = this.#parts.subagents.ofSession(sessionKey)?.parentKey;
    if (thread === undefined || parentKey === undefined) return undefined;
    return (await isSuppressed({ sessionKey: parentKey, origin: thread }, this.#parts)) ? undefined : thread;
  }

  async #openThread(spawn: SpawnRecord): Promise<void> {
    const { running, channels, policy, subagents, notices, clock, logger } = this.#parts;
    if (spawn.isPersistent !== true || !running.config.session.threadBindings.spawnSessions || this.#closing.signal.aborted) return;
    // All of its agents would answer in the thread.
    if (policy.broadcastAgents(spawn.report.message) !== undefined) return;
    const { sender } = spawn.report.message;
    const isTaken = (origin: Origin): boolean => this.#book.of({ origin, sender }) !== undefined;
    const thread = await createThread(spawn, { channels, clock, logger, isTaken, signal: this.#closing.signal });
    if (thread === undefined || subagents.hasEnded(spawn.childKey)) return;
    const isPut = await this.#book.put(thread, { sessionKey: spawn.childKey, agentId: spawn.agentId, isOwnThread: true });
    if (!isPut) return;
    const text = `What is said in this thread goes to the sub-agent "${spawnTitle(spawn, MAX_NAME_CHARS)}".`;
    await notices.sendToChat(spawn.childKey, thread, { text, identity: ["focus-thread", spawn.id] });
  }

  /** A sub-agent has ended: its conversations are told, and have their own sessions again. */
  async #closed({ id, childKey, state }: SpawnRecord): Promise<void> {
    const { notices } = this.#parts;
    for (const focus of this.#book.onSession(childKey)) {
      const text = `${capitalised(this.nameOf(childKey))} has ended (${state}). What is said here goes to this conversation's own session again.`;
      // First: a crash between both repeats the notice under the same key.
      await notices.sendToChat(childKey, focus.origin, { text, identity: ["focus-end", id, focus.key] });
      await this.#book.release(focus);
    }
  }

  async #sayExpired(focus: FocusRecord, sessionKey: string, expiry: "idle" | "age"): Promise<void> {
    const { running, notices } = this.#parts;
    const { idleHours, maxAgeHours } = running.config.session.threadBindings;
    const after = expiry === "idle" ? `${plural(idleHours, "hour")} without a message` : plural(maxAgeHours, "hour");
    const text = `The focus on ${this.nameOf(focus.sessionKey)} ended after ${after}. What is said here goes to this conversation's own session again.`;
    await notices.sendToChat(sessionKey, focus.origin, { text, identity: ["focus-expired", focus.key, focus.createdAtMs] });
  }
}

/** Labels are used again: the newest one that is open, else the newest. */
function openFirst(spawns: readonly SpawnRecord[]): SpawnRecord | undefined {
  return spawns.find(isOpenSpawn) ?? spawns[0];
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
