import type { ChannelHealth } from "@factotum/channel-contract";

/** The health with `text` at the end of its detail. The state stays. A stopped channel has no problems. */
export function addDetail(health: ChannelHealth, text: string): ChannelHealth {
  if (health.state === "stopped") return health;
  return { ...health, detail: health.detail === undefined ? text : `${health.detail}; ${text}` };
}
