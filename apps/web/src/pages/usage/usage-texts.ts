import type { UsageAmount, UsageGroup } from "@factotum/protocol";
import { formatExactDollars, formatPercent } from "../../app/locale.ts";
import { msg, t } from "../../i18n/t.ts";

const GROUP_TEXTS: Readonly<Record<UsageGroup, string>> = {
  day: msg("Day"),
  model: msg("Model"),
  cause: msg("Cause"),
  agent: msg("Agent"),
  channel: msg("Channel"),
  session: msg("Conversation"),
};

const CAUSE_TEXTS: Readonly<Record<string, string>> = {
  user: msg("Messages of people"),
  heartbeat: msg("Heartbeat"),
  cron: msg("Scheduled jobs"),
  hook: msg("Webhooks"),
  command: msg("Commands"),
  subagent: msg("Sub-agents"),
  a2a: msg("Other agents"),
  compaction: msg("Summaries of long conversations"),
  memory: msg("Memory"),
};

/** What usage is grouped by, in words. */
export function groupText(by: UsageGroup): string {
  return t(GROUP_TEXTS[by]);
}

/** The cause of a run, in words. */
export function causeText(cause: string): string {
  const text = CAUSE_TEXTS[cause];
  return text === undefined ? cause : t(text);
}

/** What requests cost, with what is not known about it. */
export function costText({ costUsd = 0, unpriced, requests }: Pick<UsageAmount, "costUsd" | "unpriced" | "requests">): string {
  if (unpriced > 0 && unpriced === requests) return t("no price is known");
  return unpriced > 0 ? t("at least {cost}", { cost: formatExactDollars(costUsd) }) : formatExactDollars(costUsd);
}

/** Part of the tokens read that came from the cache. */
export function cacheText({ cacheHitRate }: Pick<UsageAmount, "cacheHitRate">): string {
  return cacheHitRate === undefined ? "–" : formatPercent(cacheHitRate);
}
