import type { Origin } from "@factotum/channel-contract";
import type { ChatWait } from "@factotum/protocol";
import type { InboxStore, InputRecord, OutboxRecord, SessionStore, TurnRecord } from "@factotum/store";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { WaitNotices } from "../delivery/wait-notices.ts";
import type { ToolLimits } from "../queue/tool-limits.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { WaitReason } from "../queue/wait-reason.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { RunningConfig } from "../agents/running-config.ts";
import type { TypingIndicator } from "../delivery/typing-indicator.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { Notices } from "./notices.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Dependencies of session waits. */
export interface SessionWaitsOptions {
  readonly store: InboxStore & SessionStore;
  readonly running: RunningConfig;
  readonly events: SessionEvents;
  readonly notices: Notices;
  readonly typing: TypingIndicator;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: TurnQueue;
  readonly toolLimits: ToolLimits;
}

/** Reports what messages and tools wait for: to the clients of a session on every change, and in the chat of a message after a while. */
export class SessionWaits {
  readonly #options: SessionWaitsOptions;
  readonly #waitNotices: WaitNotices;

  constructor(options: SessionWaitsOptions) {
    const { clock, logger, typing } = options;
    this.#options = options;
    this.#waitNotices = new WaitNotices({
      reasonFor: (sessionKey, target) => this.#reasonFor(sessionKey, target),
      showTyping: (sessionKey, target) => typing.begin(sessionKey, target),
      send: async (sessionKey, inputId, text) => this.#sendLine(sessionKey, inputId, text),
      clock,
      logger,
    });
  }

  /** What the session's messages, or the tools of its run, wait for now. */
  of(sessionKey: string): ChatWait | undefined {
    const { queue, toolLimits } = this.#options;
    const reason = queue.waitReason(sessionKey);
    if (reason === undefined) return toolLimits.waitOf(sessionKey);
    return reason === "place" ? { type: reason, limit: this.#options.running.config.maxConcurrent } : { type: reason };
  }

  /** A message has its place in the queue, and may have to wait there. */
  onMessage(sessionKey: string, { id, message, admission }: InputRecord): void {
    if (RUN_POLICY[admission.kind].isFromPerson) this.#waitNotices.begin(sessionKey, message.origin, id);
  }

  /** The queue of a session, or the reason of its wait, has changed. */
  queueChanged(sessionKey: string, queued: number): void {
    const wait = this.of(sessionKey);
    this.#options.events.publish(sessionKey, { type: "queue-change", queued, ...withoutUndefined({ wait }) });
    this.#waitNotices.check(sessionKey);
  }

  /** The reason for which a turn waits has changed. */
  turnChanged({ kind, sessionKey, origin, inputIds }: TurnRecord): void {
    if (RUN_POLICY[kind].isFromPerson) this.#waitNotices.begin(sessionKey, origin, inputIds.at(-1) ?? "");
    this.queueChanged(sessionKey, this.#options.queue.lanes.queued(sessionKey));
  }

  /** A row was sent: restarts the silence of its conversation. */
  rowSent(row: OutboxRecord): void {
    this.#waitNotices.shown(row.target);
  }

  close(): void {
    this.#waitNotices.close();
  }

  #reasonFor(sessionKey: string, target: Origin): WaitReason | undefined {
    const { queue, toolLimits } = this.#options;
    return queue.waitReason(sessionKey, target) ?? (queue.worksFor(sessionKey, target) ? toolLimits.waitOf(sessionKey)?.type : undefined);
  }

  async #sendLine(sessionKey: string, inputId: string, text: string): Promise<void> {
    const { store, running, notices } = this.#options;
    const input = await store.readInput(inputId);
    if (input === undefined) return;
    const { message } = input;
    const suppressed = await isSuppressed({ sessionKey, origin: message.origin }, { store, running });
    // Its turn may have started meanwhile.
    if (this.#reasonFor(sessionKey, message.origin) === undefined) return;
    await notices.replyTo(sessionKey, input, { about: "wait", text, isEntry: false, suppressed });
  }
}
