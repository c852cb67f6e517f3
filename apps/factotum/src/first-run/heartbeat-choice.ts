import type { ResolvedAgent } from "@factotum/config";
import type { SetupState } from "@factotum/protocol";

/** The interval that setup offers. */
export const OFFERED_INTERVAL = "30m";
/** The hours outside of which it is quiet, if a person chooses quiet hours. */
export const OFFERED_HOURS = { start: "08:00", end: "22:00" } as const;

/** What a heartbeat is among the choices of setup. */
export function heartbeatChoice(heartbeat: ResolvedAgent["heartbeat"]): SetupState["agent"]["heartbeat"] {
  if (heartbeat === "off") return "off";
  const { every, activeHours: hours } = heartbeat;
  if (every !== OFFERED_INTERVAL) return "other";
  if (hours === undefined) return "always";
  return hours.start === OFFERED_HOURS.start && hours.end === OFFERED_HOURS.end && hours.timezone === undefined ? "day" : "other";
}
