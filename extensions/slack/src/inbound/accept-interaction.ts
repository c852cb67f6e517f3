import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import type { SlackBot } from "../api/bot-identity.ts";
import { parseCommand, parsePress, teamOf } from "./parse-interaction.ts";

/** What the platform passes to an app. */
export interface Delivery {
  readonly type: "event" | "command" | "interaction";
  readonly payload: unknown;
}

/**
 * Passes a command or a pressed button to the gateway. Rejects if it could not be stored: it is not acknowledged then, and the platform, which does not deliver
 * it again, shows the person an error (R1).
 */
export async function acceptInteraction(
  { type, payload }: Delivery,
  { host, bot }: { readonly host: ChannelHost; readonly bot: SlackBot },
  options: CallOptions,
): Promise<EventOutcome> {
  const self = await bot.getForEvent(options);
  const team = teamOf(payload);
  if (team !== undefined && team !== self.teamId) return { type: "other-account" };
  const context = { accountId: host.accountId, nowMs: host.clock.now() };
  const message = type === "command" ? parseCommand(payload, context) : parsePress(payload, context);
  if (message !== undefined) return { type: await host.receive(message) };
  return {
    type: "ignored",
    reason: type === "command" ? "it is not a command that can be read" : "nothing is done with this interaction",
  };
}
