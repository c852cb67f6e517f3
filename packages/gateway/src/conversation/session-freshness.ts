import type { TimeFormat } from "@factotum/agent-core";
import type { ResetConfig, SessionConfig } from "@factotum/config";
import type { SessionRecord } from "@factotum/store";
import { addressOfKey } from "../routing/session-key.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Why a conversation begins anew by itself. */
export type Staleness = "daily" | "idle";

/**
 * What holds for a session: the policy of its channel, else of its type, else the base. A session that its key puts on no
 * channel, as the main one, has the channel of the message. Pure.
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
 * Whether a conversation was over when a person said something at `saidAtMs`, and by which rule; `undefined` while it goes on. Daily: the clock on the
 * user's wall has passed the hour since it began. Idle: nobody has talked in it for longer than `idleMinutes`. One that was brought in from elsewhere counts
 * from then: whoever does that wants to go on with it. A clock that was set back ends nothing.
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
 * Number of the day that a moment belongs to when days begin at the hour of the policy. It is read from the wall's clock and not counted in hours, so
 * days of 23 and 25 hours are days like any other, and an hour that a day does not have begins with the one after it.
 */
function resetDay(timeMs: number, { atHour }: ResetConfig, time: Pick<TimeFormat, "second">): number {
  const [day = "", clock = ""] = time.second(timeMs).split(" ");
  return Date.parse(day) / DAY_MS - (Number(clock.slice(0, 2)) < atHour ? 1 : 0);
}
