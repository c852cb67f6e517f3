import type { Ledger, LedgerInput, ObservedSend } from "../src/index.ts";

/** What a scripted gateway does wrong with one message, if anything. */
export type Mishap = "none" | "drop" | "double" | "wrong-chat" | "unasked" | "drop-unacknowledged";

/** What befalls a send. */
export type Kill = "none" | "before-taken" | "after-taken";

/** A platform that shows what it takes, once for a key if it recognises keys, and keeps a log of what it was asked. */
export class ScriptedPlatform {
  readonly sends: ObservedSend[] = [];
  readonly idempotentSends: boolean;
  readonly #keys = new Set<string>();

  constructor(options: { readonly idempotentSends: boolean }) {
    this.idempotentSends = options.idempotentSends;
  }

  /** Takes one message; `false` when the gateway died before it could know. */
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

/** A gateway of a few lines: it answers each message, and errs as it is told. After a kill it sends again, under the same key, if `resends`. */
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
