import type { InputRecord, TerminalInputState } from "@factotum/store";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import { publishEntry } from "./publish-entry.ts";
import type { TurnServices } from "./turn-services.ts";

/** What the gateway itself answers to an input. */
export interface GatewayAnswer {
  readonly text: string;
  readonly level: "info" | "warning" | "error";
  readonly state: TerminalInputState;
  /** Further inputs that end with it; nothing more is said of them. */
  readonly withIds?: readonly string[];
}

/**
 * Ends an input without a turn: the person is told on the channel in the same commit, and in the conversation. A send policy that denies keeps it from
 * the channel, unless it answers a command: whoever asks the gateway itself, for the policy too, is answered.
 */
export async function answerInput(services: TurnServices, sessionKey: string, input: InputRecord, answer: GatewayAnswer): Promise<void> {
  const { store, channels, clock, dispatcher } = services;
  const { origin, messageId } = input.message;
  const suppressed = answer.state.type !== "command" && (await isSuppressed({ sessionKey, origin }, services));
  const outbox = planChatMessage(
    {
      sessionKey,
      target: origin,
      text: answer.text,
      purpose: "notice",
      replyTo: messageId,
      // What the platform calls the input: the number here begins anew with every store, and the platform may still know an earlier one's key.
      identity: ["input", origin.channel, origin.accountId, origin.conversation.id, input.message.eventId, "notice"],
      nowMs: clock.now(),
      suppressed,
    },
    channels,
  );
  const state: TerminalInputState = suppressed ? { type: "suppressed" } : answer.state;
  dispatcher.dispatch(await store.settleInputs([...(answer.withIds ?? []), input.id], state, { outbox }));
  const session = await store.readSession(sessionKey);
  if (session === undefined) return;
  const entry = await store.appendEntry(
    session.sessionId,
    { type: "notice", level: answer.level, text: answer.text },
    { timestampMs: clock.now() },
  );
  publishEntry(services, sessionKey, entry, undefined);
}
