import { createHash } from "node:crypto";
import type { CanonicalRequest } from "./prefix-report.ts";

/** How long vendors keep an unread prefix; the shortest documented time. */
const LIFETIME_MS = 300_000;

/** The cost of a prompt. */
export interface PromptTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * A cache without marks, like that of OpenAI, Google and Mistral: any prefix of whole entries (tools, system texts, messages) of an earlier request is read
 * from it and not counted again. Tokens are estimated at four characters each; images are counted by their text here.
 */
export class AutomaticPromptCache {
  readonly #expiry = new Map<string, number>();

  charge(
    canonical: CanonicalRequest,
    options: { readonly model: string; readonly nowMs: number; readonly minTokens: number },
  ): PromptTokens {
    const { model, nowMs, minTokens } = options;
    const hash = createHash("sha256").update(model);
    let total = 0;
    let cacheRead = 0;
    for (const entry of [...canonical.tools, ...canonical.system, ...canonical.messages]) {
      hash.update("\0").update(entry);
      total += Math.ceil(entry.length / 4);
      const prefix = hash.copy().digest("base64");
      if ((this.#expiry.get(prefix) ?? 0) > nowMs && total >= minTokens) cacheRead = total;
      this.#expiry.set(prefix, nowMs + LIFETIME_MS);
    }
    return { input: total - cacheRead, cacheRead, cacheWrite: 0 };
  }
}
