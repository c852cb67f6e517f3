import type { ContextPartType, ContextRequest } from "@factotum/protocol";
import { formatCompact, formatWhole } from "../../app/locale.ts";

/** Titles of the parts. */
export const PART_TITLES: Readonly<Record<ContextPartType, string>> = {
  system: "System prompt",
  messages: "Earlier messages",
  prompt: "This turn’s text",
  images: "This turn’s images",
  tools: "Tools",
};

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
  return `Turn ${turn}, request ${request}`;
}

/** Tokens sent, as counted by the provider. */
export function sentTokens({ usage }: ContextRequest): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}
