import type { MsgContext } from "@factotum/channel-contract";
import type { InputAnswer, InputRecord, SessionRecord, TerminalInputState, TranscriptBody } from "@factotum/store";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { isOwnAddress, planChatMessage } from "../delivery/plan-message.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { ensureSession } from "../conversation/ensure-session.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** What the gateway itself answers to an input. */
export interface GatewayAnswer {
  readonly text: string;
  readonly level: "info" | "warning" | "error";
  readonly state: TerminalInputState;
}

/**
 * Ends an input without a turn: in one commit the person is told on the channel, and the conversation gets what was said and the answer, which the model
 * is not given. A send policy that denies keeps it from the channel, unless it answers a command: whoever asks the gateway itself, for the policy too, is
 * answered.
 */
export async function answerInput(services: TurnServices, sessionKey: string, input: InputRecord, answer: GatewayAnswer): Promise<void> {
  const { channels, clock } = services;
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
  // A dead letter is one whatever is said.
  const state: TerminalInputState = suppressed && answer.state.type !== "dead" ? { type: "suppressed" } : answer.state;
  await endInputs(services, sessionKey, [input], { state, text: answer.text, level: answer.level, outbox });
}

/** Ends inputs without a turn, with what was said and one word about it in the conversation, in the same commit as the rows for their chat, if any. */
export async function endInputs(
  services: TurnServices,
  sessionKey: string,
  inputs: readonly InputRecord[],
  end: GatewayAnswer & Pick<InputAnswer, "outbox">,
): Promise<void> {
  const { store, dispatcher } = services;
  const session = await sessionOf(sessionKey, inputs, services);
  const entries: readonly TranscriptBody[] = [
    ...inputs.map(({ message }) => uiMessage(message)),
    { type: "notice", level: end.level, text: end.text },
  ];
  const ended = await store.settleInputs(
    inputs.map(({ id }) => id),
    end.state,
    {
      ...(end.outbox === undefined ? {} : { outbox: end.outbox }),
      ...(session === undefined ? {} : { transcript: { sessionId: session.sessionId, entries } }),
    },
  );
  dispatcher.dispatch(ended.outbox);
  for (const entry of ended.entries) publishEntry(services, sessionKey, entry, undefined);
}

/** Clients that read the conversation see nothing of an answer that stands in none, so they get one; a platform shows the answer itself. */
async function sessionOf(sessionKey: string, [input]: readonly InputRecord[], services: TurnServices): Promise<SessionRecord | undefined> {
  const { store, channels, config } = services;
  const session = await store.readSession(sessionKey);
  if (session !== undefined || input === undefined || !isOwnAddress(input.message.origin, channels)) return session;
  const agentId = input.admission.agentId ?? parseAgentSessionKey(sessionKey)?.agentId ?? config.defaultAgentId;
  return ensureSession({ sessionKey, agentId, input }, services);
}

function uiMessage({ text, origin, eventId, sender, attachments }: MsgContext): TranscriptBody {
  return {
    type: "ui-message",
    text,
    channel: origin.channel,
    eventId,
    ...(sender.name === undefined ? {} : { sender: sender.name }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.length }),
  };
}
