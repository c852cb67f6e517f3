import type { GatewayWarning } from "@factotum/protocol";

/** True if both warnings have the same subject and text. */
export function isSameWarning(one: GatewayWarning, other: GatewayWarning): boolean {
  return one.id === other.id && one.level === other.level && one.text === other.text && one.fix === other.fix;
}
