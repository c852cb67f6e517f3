import type { Origin } from "@factotum/channel-contract";
import type { ChatWait } from "@factotum/protocol";
import type { InputRecord, OutboxRecord, TurnRecord } from "@factotum/store";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { WaitNotices } from "../delivery/wait-notices.ts";
import type { WaitReason } from "../delivery/wait-notices.ts";
import type { ToolWait } from "../queue/tool-limits.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { sendNotice } from "./send-notice.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** What the waits of sessions are read from. */
export interface SessionWaitsOptions {
  readonly queue: TurnQueue;
  /** What calls of the session's run wait for. */
  readonly toolWait: (sessionKey: string) => ToolWait | undefined;
}

/** Says what messages and tools wait for: to the clients of a session whenever it changes, and in the chat of a message after a while. */
export class SessionWaits {
  readonly #services: TurnServices;
  readonly #queue: TurnQueue;
  readonly #toolWait: SessionWaitsOptions["toolWait"];
  readonly #notices: WaitNotices;

  constructor(services: TurnServices, { queue, toolWait }: SessionWaitsOptions) {
    const { clock, logger, typing } = services;
    this.#services = services;
    this.#queue = queue;
    this.#toolWait = toolWait;
    this.#notices = new WaitNotices({
      reasonFor: (sessionKey, target) => this.#reasonFor(sessionKey, target),
      showTyping: (sessionKey, target) => typing.begin(sessionKey, target),
      send: async (sessionKey, inputId, text) => this.#sendLine(sessionKey, inputId, text),
      clock,
      logger,
    });
  }

  /** What the session's messages, or the tools of its run, wait for now. */
  of(sessionKey: string): ChatWait | undefined {
    const reason = this.#queue.waitReason(sessionKey);
    if (reason === undefined) return this.#toolWait(sessionKey);
    return reason === "place" ? { type: reason, limit: this.#services.running.current.config.maxConcurrent } : { type: reason };
  }

  /** A message has its place in the queue, and may have to wait there. */
  messageCame(sessionKey: string, { id, message, admission }: InputRecord): void {
    if (RUN_POLICY[admission.kind].isFromPerson) this.#notices.begin(sessionKey, message.origin, id);
  }

  /** The queue of a session has changed, or what it waits for. */
  queueChanged(sessionKey: string, queued: number): void {
    const wait = this.of(sessionKey);
    this.#services.events.publish(sessionKey, { type: "queue-change", queued, ...(wait === undefined ? {} : { wait }) });
    this.#notices.check(sessionKey);
  }

  /** What a turn waits for has changed. */
  turnChanged({ kind, sessionKey, origin, inputIds }: TurnRecord): void {
    if (RUN_POLICY[kind].isFromPerson) this.#notices.begin(sessionKey, origin, inputIds.at(-1) ?? "");
    this.queueChanged(sessionKey, this.#queue.lanes.queued(sessionKey));
  }

  /** A row was sent: the silence of its conversation begins again. */
  rowSent(row: OutboxRecord): void {
    this.#notices.shown(row.target);
  }

  close(): void {
    this.#notices.close();
  }

  #reasonFor(sessionKey: string, target: Origin): WaitReason | undefined {
    const isRunning = this.#queue.worksFor(sessionKey, target);
    return this.#queue.waitReason(sessionKey, target) ?? (isRunning ? this.#toolWait(sessionKey)?.type : undefined);
  }

  async #sendLine(sessionKey: string, inputId: string, text: string): Promise<void> {
    const input = await this.#services.store.readInput(inputId);
    if (input === undefined) return;
    const { message } = input;
    const suppressed = await isSuppressed({ sessionKey, origin: message.origin }, this.#services);
    // Its turn may have begun meanwhile.
    if (this.#reasonFor(sessionKey, message.origin) === undefined) return;
    await sendNotice(this.#services, sessionKey, message, { about: "wait", text, isEntry: false, suppressed });
  }
}
