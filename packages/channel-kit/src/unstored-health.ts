import type { ChannelHealth } from "@factotum/channel-contract";
import { addDetail } from "./add-detail.ts";

/** The health of an account with the number of events that wait to be stored (0 unless storing has failed) and of those lost since the start. */
export function addUnstored(health: ChannelHealth, { waiting, lost }: { readonly waiting: number; readonly lost: number }): ChannelHealth {
  const problems = [
    ...(waiting > 0 ? [`${waiting} received, not stored yet; it is tried again`] : []),
    ...(lost > 0 ? [`${lost} lost since the start`] : []),
  ];
  if (problems.length === 0) return health;
  const state = health.state === "connected" && waiting > 0 ? "degraded" : health.state;
  return addDetail({ ...health, state }, `messages: ${problems.join(", ")}`);
}
