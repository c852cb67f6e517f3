import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionSettings, SessionSummary } from "@factotum/protocol";

/** The title and the usage of a conversation as its client knows them. */
export class ToldState {
  #title: string | undefined;
  #usage: string | undefined;

  /** Updates for what differs from what the client was told before. */
  changes(session: SessionSummary, settings: SessionSettings): SessionUpdate[] {
    return [...this.#titleOf(session), ...this.#usageOf(session, settings)];
  }

  /** A conversation gets its name from its first message. */
  #titleOf({ label, displayName }: SessionSummary): SessionUpdate[] {
    const title = label ?? displayName;
    if (title === this.#title) return [];
    this.#title = title;
    return [{ sessionUpdate: "session_info_update", title }];
  }

  #usageOf({ contextTokens, costUsd }: SessionSummary, { contextWindow }: SessionSettings): SessionUpdate[] {
    const usage = `${contextTokens} of ${contextWindow}, ${costUsd}`;
    if (contextWindow === undefined || contextTokens === 0 || usage === this.#usage) return [];
    this.#usage = usage;
    const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: "USD" } };
    return [{ sessionUpdate: "usage_update", used: contextTokens, size: contextWindow, ...cost }];
  }
}
