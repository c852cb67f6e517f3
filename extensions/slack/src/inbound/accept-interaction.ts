import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { meetDeadline } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import type { SlackBot } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { parseCommand, parsePress, teamOf } from "./parse-interaction.ts";

/** What the platform passes to an app. */
export interface Delivery {
  readonly type: "event" | "command" | "interaction";
  readonly payload: unknown;
}

/** The platform waits 3 s for the acknowledgement of a command or an interaction, and does not deliver it again. */
const INTERACTION_MS = 2_500;

const LOST_TEXT = "I could not take this just now. Please try it again.";

/** Dependencies of the entry point. */
export interface AcceptInteractionParts extends CallOptions {
  readonly host: ChannelHost;
  readonly api: Pick<SlackApi, "respond">;
  readonly bot: SlackBot;
}

/**
 * Creates the entry point for commands and pressed buttons: resolves once they are stored, or at the deadline of their acknowledgement. The signal ends what
 * outlives a delivery. Rejects if it could not be stored before the deadline; after it the person is notified.
 */
export function createAcceptInteraction({ host, api, bot, signal }: AcceptInteractionParts): (delivery: Delivery) => Promise<EventOutcome> {
  const store = async ({ type, payload }: Delivery): Promise<EventOutcome> => {
    const context = { accountId: host.accountId, nowMs: host.clock.now() };
    const message = type === "command" ? parseCommand(payload, context) : parsePress(payload, context);
    if (message !== undefined) return { type: await host.receive(message) };
    return {
      type: "ignored",
      reason: type === "command" ? "it is not a command that can be read" : "nothing is done with this interaction",
    };
  };

  const storeInteraction = async (delivery: Delivery): Promise<EventOutcome> => {
    const self = await bot.getForEvent({ signal });
    const team = teamOf(delivery.payload);
    return team !== undefined && team !== self.teamId ? { type: "other-account" } : store(delivery);
  };
  const reportLost = ({ payload }: Delivery, error: unknown): void => {
    host.logger.error("slack interaction lost: it was acknowledged and could not be stored", { error: reasonOf(error) });
    const { response_url: url } = (payload ?? {}) as { readonly response_url?: unknown };
    if (typeof url !== "string") return;
    api.respond(url, { response_type: "ephemeral", text: LOST_TEXT }, { signal }).catch((cause: unknown) => {
      host.logger.warn("slack follow-up not sent", { error: reasonOf(cause) });
    });
  };

  return async (delivery) => {
    const acknowledgement = await meetDeadline(storeInteraction(delivery), {
      clock: host.clock,
      deadlineMs: INTERACTION_MS,
      onLateFailure: (error) => reportLost(delivery, error),
    });
    return acknowledgement.type === "stored" ? acknowledgement.result : { type: "accepted" };
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
