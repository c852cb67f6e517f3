import type { ChatEntry, GatewayWarning } from "@factotum/protocol";

/** What the ids of warnings about people who ask to be admitted begin with; the rest is the code. */
export const PAIRING_WARNING = "pairing:";

/** True if both warnings have the same subject and text. */
export function isSameWarning(one: GatewayWarning, other: GatewayWarning): boolean {
  return one.id === other.id && one.level === other.level && one.text === other.text && one.fix === other.fix;
}

/** True for a failed run whose reason is shown in the conversation already. */
export function isShownIn(entries: readonly ChatEntry[], { id, text }: GatewayWarning): boolean {
  return id.startsWith("run:") && entries.some((entry) => entry.type === "notice" && entry.level === "error" && text.endsWith(entry.text));
}
