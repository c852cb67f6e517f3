import type { CacheLifetime, CacheRetention, ModelInfo } from "@factotum/agent-contract";

const MINUTE_MS = 60_000;

/** A self-hosted server keeps its cache as long as the model is loaded: no known expiry. */
export const NEVER_EXPIRES: CacheLifetime = { shortMs: null, longMs: null };

function minutes(short: number, long = short): CacheLifetime {
  return { shortMs: short * MINUTE_MS, longMs: long * MINUTE_MS };
}

/** For undocumented models: the lifetimes that the retentions name. */
const UNDOCUMENTED = minutes(5, 60);

/**
 * By `provider/model`; the first match wins. Where a vendor documents a range, this is its lower
 * end for vendors that store prefixes on disk, and the usual upper end for those that drop them under load.
 *
 * Sources, read on 2026-11-23: platform.claude.com prompt caching (5 minutes, 1 hour); developers.openai.com prompt caching and the options of
 * `@ai-sdk/openai` 4.0.118 (from GPT-5.6 on at least 30 minutes; GPT-5.5 keeps prefixes for 24 hours; before, 5 to 10 minutes of inactivity or
 * 24 hours on request); api-docs.deepseek.com context caching (hours to days).
 */
const ROWS: readonly (readonly [pattern: RegExp, lifetime: CacheLifetime])[] = [
  [/(?:^anthropic\/|claude)/, minutes(5, 60)],
  [/\/gpt-(?:5\.[6-9]|[6-9])/, minutes(30)],
  [/\/gpt-5\.5/, minutes(24 * 60)],
  [/^openai\/gpt-(?:4\.1|5)/, minutes(10, 24 * 60)],
  [/\/(?:gpt-(?:4|5)|o[134](?:-|$)|codex-)/, minutes(10)],
  [/^deepseek\//, minutes(120)],
];

/** How long a provider caches a model's prompts, or `undefined` if nothing is known of the model. */
export function findCacheLifetime(provider: string, id: string): CacheLifetime | undefined {
  const name = `${provider}/${id}`.toLowerCase();
  return ROWS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Milliseconds that the provider keeps a prefix after its last use; `Infinity` if it does not expire, 0 if caching is disabled. */
export function cacheLifetimeMs({ cacheLifetime = UNDOCUMENTED }: Pick<ModelInfo, "cacheLifetime">, retention: CacheRetention): number {
  if (retention === "none") return 0;
  return (retention === "long" ? cacheLifetime.longMs : cacheLifetime.shortMs) ?? Number.POSITIVE_INFINITY;
}
