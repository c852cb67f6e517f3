import type { TimeFormat } from "@factotum/agent-core";
import type { ResetConfig, SessionConfig } from "@factotum/config";
import type { SessionRecord } from "@factotum/store";
import { addressOfKey } from "../routing/session-key.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Why a conversation is reset automatically. */
export type Staleness = "daily" | "idle";

/**
 * The policy of a session: that of its channel, otherwise of its type, otherwise the base. A session whose key names no channel, such as the main one, uses the
 * channel of the message. Pure.
 */
export function resetPolicy(
  config: Pick<SessionConfig, "reset" | "resetByType" | "resetByChannel">,
  session: { readonly key: string; readonly channel: string },
): ResetConfig {
  const address = addressOfKey(session.key);
  const channel = (address?.channel ?? session.channel).toLowerCase();
  const [, ofChannel] = Object.entries(config.resetByChannel).find(([id]) => id.toLowerCase() === channel) ?? [];
  return ofChannel ?? config.resetByType[address?.type ?? "direct"] ?? config.reset;
}

/**
 * Whether a conversation was stale when a person's message arrived at `saidAtMs`, and by which rule; `undefined` while it is fresh. Daily: the user's local
 * time has passed the reset hour since it began. Idle: no activity for longer than `idleMinutes`. An import counts as activity. A clock that was set back ends
 * nothing.
 */
export function findStaleness(
  session: Pick<SessionRecord, "startedAtMs" | "interactedAtMs" | "importedAtMs">,
  policy: ResetConfig,
  said: { readonly saidAtMs: number; readonly time: Pick<TimeFormat, "second"> },
): Staleness | undefined {
  const { saidAtMs, time } = said;
  if (policy.mode === "none") return undefined;
  const { importedAtMs = -Infinity } = session;
  if (policy.mode === "daily" && resetDay(Math.max(session.startedAtMs, importedAtMs), policy, time) < resetDay(saidAtMs, policy, time))
    return "daily";
  const idleMs = saidAtMs - Math.max(session.interactedAtMs, importedAtMs);
  return policy.idleMinutes !== undefined && idleMs > policy.idleMinutes * 60_000 ? "idle" : undefined;
}

/**
 * The number of the day of a time, with days that begin at the policy's hour. Uses local time and does not count hours, so days of 23 and 25 hours work, and an
 * hour that a day does not have is replaced by the next one.
 */
function resetDay(timeMs: number, { atHour }: ResetConfig, time: Pick<TimeFormat, "second">): number {
  const [day = "", clock = ""] = time.second(timeMs).split(" ");
  return Date.parse(day) / DAY_MS - (Number(clock.slice(0, 2)) < atHour ? 1 : 0);
}
