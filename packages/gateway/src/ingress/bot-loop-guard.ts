import type { MsgContext } from "@factotum/channel-contract";
import { LRUCache } from "lru-cache";
import { conversationKey } from "../kernel/conversation-key.ts";

/** `botLoop` of an account. */
export interface BotLoopLimits {
  readonly maxMessages: number;
  readonly windowSeconds: number;
  readonly cooldownSeconds: number;
}

const MAX_CONVERSATIONS = 1000;
/** Bots counted in one conversation; further ones are stopped. */
const MAX_BOTS = 20;

interface Exchange {
  /** When its messages came, within the window. */
  readonly atMs: number[];
  stoppedUntilMs: number;
}

/**
 * Limits exchanges between the assistant and other bots, which would answer each other forever: more than `maxMessages` of one bot in one conversation within
 * the window stop that bot there for the cooldown. A person's message in the conversation starts over.
 */
export class BotLoopGuard {
  readonly #exchanges = new LRUCache<string, Map<string, Exchange>>({ max: MAX_CONVERSATIONS });

  /** A person wrote in the conversation. */
  reset({ origin }: Pick<MsgContext, "origin">): void {
    this.#exchanges.delete(conversationKey(origin));
  }

  /** Counts a bot's message: `stopped` if it must not be answered, `first` for the message that reached the limit. */
  count({ origin, sender }: Pick<MsgContext, "origin" | "sender">, limits: BotLoopLimits, nowMs: number): "allowed" | "first" | "stopped" {
    const key = conversationKey(origin);
    const bots = this.#exchanges.get(key) ?? new Map<string, Exchange>();
    this.#exchanges.set(key, bots);
    const fromMs = nowMs - limits.windowSeconds * 1000;
    const known = bots.get(sender.id);
    if (known === undefined && bots.size >= MAX_BOTS) forgetExpired(bots, { fromMs, nowMs });
    if (known === undefined && bots.size >= MAX_BOTS) return "stopped";
    const exchange = known ?? { atMs: [], stoppedUntilMs: 0 };
    bots.set(sender.id, exchange);
    if (nowMs < exchange.stoppedUntilMs) return "stopped";
    exchange.atMs.splice(0, exchange.atMs.findLastIndex((atMs) => atMs <= fromMs) + 1);
    if (exchange.atMs.length < limits.maxMessages) {
      exchange.atMs.push(nowMs);
      return "allowed";
    }
    exchange.atMs.length = 0;
    exchange.stoppedUntilMs = nowMs + limits.cooldownSeconds * 1000;
    return "first";
  }
}

function forgetExpired(bots: Map<string, Exchange>, { fromMs, nowMs }: { readonly fromMs: number; readonly nowMs: number }): void {
  for (const [id, { atMs, stoppedUntilMs }] of bots) if (nowMs >= stoppedUntilMs && (atMs.at(-1) ?? 0) <= fromMs) bots.delete(id);
}
