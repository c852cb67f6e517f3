import type { DamageEvent } from "@factotum/protocol";
import { describeEvent } from "./damage.ts";

/** What commands may do. */
export function describeCommands(lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? "commands  " : "          "} ${line}`);
}

/** Damage of the stored state that nobody has acknowledged. */
export function describeDamage(events: readonly DamageEvent[]): string[] {
  if (events.length === 0) return [];
  return [
    ...events.map((event, index) => `${index === 0 ? "damage    " : "          "} ! ${describeEvent(event)}`),
    '           "factotum damage acknowledge" ends this notice',
  ];
}
