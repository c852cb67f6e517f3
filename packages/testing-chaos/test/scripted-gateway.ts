import type { Ledger, LedgerInput, ObservedSend } from "../src/index.ts";

/** The fault of a scripted gateway with one message, if any. */
export type Mishap = "none" | "drop" | "double" | "wrong-chat" | "unasked" | "drop-unacknowledged";

/** The fault of a send. */
export type Kill = "none" | "before-taken" | "after-taken";

/** A platform that shows what it accepts, once per key if it deduplicates, and logs the requests. */
export class ScriptedPlatform {
  readonly sends: ObservedSend[] = [];
  readonly idempotentSends: boolean;
  readonly #keys = new Set<string>();

  constructor(options: { readonly idempotentSends: boolean }) {
    this.idempotentSends = options.idempotentSends;
  }

  /** Sends one message; `false` if the gateway died before it got the result. */
  send(message: { conversation: string; text: string; key: string; part?: number; kill?: Kill }): boolean {
    const { conversation, text, key, part = 0, kill = "none" } = message;
    const isTaken = kill !== "before-taken";
    const isRepeated = this.idempotentSends && this.#keys.has(key);
    if (isTaken) this.#keys.add(key);
    this.sends.push({
      id: `send-${this.sends.length}`,
      conversation,
      answers: /^answer to (\S+)$/.exec(text)?.[1],
      part,
      shown: isTaken && !isRepeated,
      onWireAtKill: kill !== "none",
    });
    return kill === "none";
  }
}

/** A minimal gateway: it answers each message, and makes the scripted faults. After a kill it sends again, under the same key, if `resends`. */
export function runScriptedGateway(
  platform: ScriptedPlatform,
  script: readonly { readonly conversation: string; readonly mishap: Mishap; readonly kill?: Kill }[],
  options: { readonly resends: boolean } = { resends: true },
): Ledger {
  const inputs = script.map(({ conversation, mishap }, index): LedgerInput => ({
    id: `m${index}`,
    conversation,
    acknowledged: mishap !== "drop-unacknowledged",
  }));
  for (const [index, { conversation, mishap, kill = "none" }] of script.entries()) {
    if (mishap === "drop" || mishap === "drop-unacknowledged") continue;
    const message = { conversation, text: `answer to m${index}`, key: `key-${index}` };
    if (mishap === "unasked") platform.send({ conversation, text: "by the way", key: `aside-${index}` });
    if (mishap === "wrong-chat") platform.send({ ...message, conversation: `not-${conversation}` });
    else if (!platform.send({ ...message, kill }) && options.resends) platform.send(message);
    if (mishap === "double") platform.send({ ...message, key: `another-key-${index}` });
  }
  return { inputs, sends: platform.sends, idempotentSends: platform.idempotentSends };
}
