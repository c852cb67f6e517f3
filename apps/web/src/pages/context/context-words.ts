import type { ContextPartType, ContextRequest } from "@factotum/protocol";
import { formatWhole } from "../../app/locale.ts";
import { msg, t } from "../../i18n/t.ts";
import { formatSize } from "../../ui/format-size.ts";

const PART_TITLES: Readonly<Record<ContextPartType, string>> = {
  system: msg("System prompt"),
  messages: msg("Earlier messages"),
  prompt: msg("This turn’s text"),
  images: msg("This turn’s images"),
  tools: msg("Tools"),
};

/** What each named cause means, as the end of a sentence that says why a request begins differently. */
const CAUSE_WORDS: Readonly<Record<string, string>> = {
  "new-session": msg("the conversation began"),
  fork: msg("a sub-agent took the conversation over"),
  "config-change": msg("the configuration was changed"),
  "model-change": msg("another model or level of thinking was chosen"),
  "reasoning-change": msg("thoughts were shown or hidden"),
  "elevated-change": msg("commands were allowed outside of the sandbox, or no longer"),
  "extra-change": msg("a client sent other instructions"),
  "client-tools-change": msg("a client offered other tools"),
  "privacy-end": msg("others can read the conversation now"),
  "cold-cache": msg("the pause was longer than the provider keeps its cache"),
  compaction: msg("the older messages were summarised"),
  forgotten: msg("something was forgotten at your wish"),
  "images-dropped": msg("old images were left out"),
  "history-limit": msg("the oldest messages were left out"),
  quarantine: msg("a damaged part was replaced"),
  retry: msg("a message was sent again"),
  edited: msg("a message was edited"),
};

/** Causes of runs without a person. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  heartbeat: msg("Heartbeat"),
  cron: msg("Scheduled job"),
  hook: msg("Webhook"),
  compaction: msg("Summary of the conversation"),
  memory: msg("Memory"),
};

/** The title of a part. */
export function partTitle(part: ContextPartType): string {
  return t(PART_TITLES[part]);
}

/** A named cause in words; its name if this version does not know it. */
export function causeWords(cause: string): string {
  const words = CAUSE_WORDS[cause];
  return words === undefined ? cause : t(words);
}

/** What was asked, or what asked. */
export function askedTitle({ asked, kind, turn }: Pick<ContextRequest, "asked" | "kind" | "turn">): string {
  const words = KIND_WORDS[kind];
  if (words !== undefined) return t(words);
  return asked ?? t("Message {number}", { number: turn });
}

/** Tokens and bytes of a part or section. */
export function sizeOf(tokens: number, size: number): string {
  return t("{tokens} tokens · {size}", { tokens: count(tokens), size: formatSize(size) });
}

/** A number of tokens or characters. */
export function count(value: number): string {
  return formatWhole(value);
}

/** Tokens sent, as counted by the provider. */
export function sentTokens({ usage }: Pick<ContextRequest, "usage">): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
