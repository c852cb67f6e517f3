import type { GatewayWarning } from "@factotum/protocol";

/** True when both say the same about the same. */
export function isSameWarning(one: GatewayWarning, other: GatewayWarning): boolean {
  return one.id === other.id && one.level === other.level && one.text === other.text && one.fix === other.fix;
}
