import type { ContextPartType, ContextRequest } from "@factotum/protocol";
import { formatCompact, formatWhole } from "../../app/locale.ts";
import { msg, t } from "../../i18n/t.ts";

const PART_TITLES: Readonly<Record<ContextPartType, string>> = {
  system: msg("System prompt"),
  messages: msg("Earlier messages"),
  prompt: msg("This turn’s text"),
  images: msg("This turn’s images"),
  tools: msg("Tools"),
};

/** The title of a part. */
export function partTitle(part: ContextPartType): string {
  return t(PART_TITLES[part]);
}

/** Tokens and bytes of a part or section. */
export function sizeOf(tokens: number, size: number): string {
  return t("{tokens} tokens · {size}", { tokens: count(tokens), size: bytes(size) });
}

/** A number of tokens or characters. */
export function count(value: number): string {
  return formatWhole(value);
}

/** A number of bytes. */
export function bytes(value: number): string {
  return value < 1000 ? `${value} B` : `${formatCompact(value / 1000)} kB`;
}

/** US dollars, small ones too. */
export function dollars(amount: number): string {
  return amount !== 0 && amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

/** A request in the list. */
export function requestTitle({ turn, request }: ContextRequest): string {
  return t("Turn {turn}, request {request}", { turn, request });
}

/** Tokens sent, as counted by the provider. */
export function sentTokens({ usage }: ContextRequest): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
