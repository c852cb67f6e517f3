import { createHash } from "node:crypto";
import type { CanonicalRequest } from "./prefix-report.ts";

/** How long vendors keep a prefix that nobody reads; the shortest that one of them documents. */
const LIFETIME_MS = 300_000;

/** What a prompt costs. */
export interface PromptTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * A cache that needs no marks, as OpenAI, Google and Mistral have it: whatever prefix of whole entries (tools, system texts, messages)
 * an earlier request had is read and not counted again. Tokens are estimated, four characters each; images cost their text here.
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
