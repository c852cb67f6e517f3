import type { Clock, Logger } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { WaitReason } from "../queue/wait-reason.ts";

/** Milliseconds of silence after which the typing indicator is shown. */
const TYPING_AFTER_MS = 5_000;
/** Milliseconds of silence after which a line says that the message waits, and for what. */
const LINE_AFTER_MS = 20_000;

const LINES: Readonly<Record<Exclude<WaitReason, "held">, string>> = {
  earlier: "I am still working on something else here. Your message comes after it; /stop ends what I am doing.",
  restart: "I was interrupted and am resuming my work one conversation at a time. Your message waits for its turn.",
  tools: "I am running many tools for other people right now. Your message waits for its turn.",
  "own-tools": "I am already running as many tools for you as I can at once. The next ones start as soon as one of these ends.",
  place: "I am answering other people right now. Your message waits for its turn.",
};

/** Dependencies of wait notices. */
export interface WaitNoticesOptions {
  /** What a person's message of this conversation waits for; `undefined` if none waits. */
  readonly reasonFor: (sessionKey: string, target: Origin) => WaitReason | undefined;
  readonly showTyping: (sessionKey: string, target: Origin) => void;
  /** Sends the line; repeated calls for an input send it once. */
  readonly send: (sessionKey: string, inputId: string, text: string) => Promise<void>;
  readonly clock: Pick<Clock, "schedule">;
  readonly logger: Logger;
}

/** A conversation in which a message waits. */
interface Wait {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly inputId: string;
  /** Milliseconds since the wait began, or since something was shown. */
  silentMs: number;
  timer: Disposable | undefined;
}

/**
 * Notifies people in direct conversations that their message waits: after 5 seconds by the typing indicator, after 20 by one line with the reason. A wait lasts
 * from the first waiting message of a conversation until none is left, and has at most one line.
 */
export class WaitNotices {
  readonly #options: WaitNoticesOptions;
  /** One wait per conversation. */
  readonly #waits = new Map<string, Wait>();
  /** Waiting conversations by session, so that a queue change does not scan hundreds of waits. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(options: WaitNoticesOptions) {
    this.#options = options;
  }

  /** A person's message has arrived. A no-op for a group, for a message that does not wait, and during a wait. */
  begin(sessionKey: string, target: Origin, inputId: string): void {
    const key = conversationKey(target);
    if (target.conversation.kind !== "direct" || this.#waits.has(key) || this.#options.reasonFor(sessionKey, target) === undefined) return;
    const wait: Wait = { sessionKey, target, inputId, silentMs: 0, timer: undefined };
    this.#waits.set(key, wait);
    this.#waiting.set(sessionKey, (this.#waiting.get(sessionKey) ?? new Set()).add(key));
    this.#schedule(wait);
  }

  /** The queue of a session has changed: ends waits that are over. */
  check(sessionKey: string): void {
    const waiting = this.#waiting.get(sessionKey);
    if (waiting === undefined) return;
    for (const key of waiting) {
      const wait = this.#waits.get(key);
      if (wait !== undefined && this.#options.reasonFor(sessionKey, wait.target) !== undefined) continue;
      wait?.timer?.[Symbol.dispose]();
      this.#waits.delete(key);
      waiting.delete(key);
    }
    if (waiting.size === 0) this.#waiting.delete(sessionKey);
  }

  /** Something was sent to a conversation: restarts its silence. */
  shown(target: Origin): void {
    const wait = this.#waits.get(conversationKey(target));
    if (wait !== undefined) wait.silentMs = 0;
  }

  close(): void {
    for (const { timer } of this.#waits.values()) timer?.[Symbol.dispose]();
    this.#waits.clear();
    this.#waiting.clear();
  }

  #schedule(wait: Wait): void {
    wait.timer = this.#options.clock.schedule(TYPING_AFTER_MS, () => this.#tick(wait));
  }

  #tick(wait: Wait): void {
    const { reasonFor, showTyping, send, logger } = this.#options;
    const { sessionKey, target, inputId } = wait;
    const reason = reasonFor(sessionKey, target);
    if (reason === undefined) return this.check(sessionKey);
    wait.silentMs += TYPING_AFTER_MS;
    if (reason === "held") return this.#schedule(wait);
    showTyping(sessionKey, target);
    if (wait.silentMs < LINE_AFTER_MS) return this.#schedule(wait);
    send(sessionKey, inputId, LINES[reason]).catch((error: unknown) =>
      logger.error("The notice of a wait could not be sent", { sessionKey, error }),
    );
  }
}
