import type { Clock, Logger } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import type { Admission } from "../access/admit-message.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Observer } from "../observe/observer.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { BotLoopGuard } from "./bot-loop-guard.ts";

/** Dependencies of the limits. */
interface BotLoopOptions {
  readonly channels: ChannelRegistry;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ends exchanges with other bots at the limits of their account. */
export class BotLoops {
  readonly #options: BotLoopOptions;
  readonly #guard = new BotLoopGuard();
  /** The newest input that was stopped. */
  #stopped: string | undefined;

  constructor(options: BotLoopOptions) {
    this.#options = options;
  }

  /**
   * True for a message of a bot that has exceeded its limit in the conversation. An admitted person's message starts the count over. A message that several agents
   * answer counts once: what is decided about the first agent's input holds for the others, which follow it.
   */
  isLoop({ id, message, admission }: InputRecord, { type }: Admission): boolean {
    const { channels, clock, logger, observer } = this.#options;
    if (admission.broadcast?.first !== undefined) return admission.broadcast.first === this.#stopped;
    if (!RUN_POLICY[admission.kind].isFromPerson) return false;
    if ((type !== "admit" && type !== "overheard") || message.event.type !== "message") return false;
    if (!message.sender.isBot) this.#guard.reset(message);
    const limits = channels.accountFor(message.origin)?.botLoop;
    if (!message.sender.isBot || type !== "admit" || limits === undefined) return false;
    const count = this.#guard.count(message, limits, clock.now());
    if (count === "allowed") return false;
    this.#stopped = id;
    const { channel, accountId, conversation } = message.origin;
    observer.botStopped(channel);
    if (count === "first")
      logger.warn("A bot is not answered for a while: it has exceeded botLoop", {
        channel,
        accountId,
        conversation: conversation.id,
        sender: message.sender.id,
        cooldownSeconds: limits.cooldownSeconds,
      });
    return true;
  }
}
