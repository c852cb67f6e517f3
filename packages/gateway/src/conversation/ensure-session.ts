import type { InputRecord, SessionRecord } from "@factotum/store";
import { sessionName } from "./session-name.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** Makes the conversation of an input that gets no turn, unless there is one. */
export async function ensureSession(
  { sessionKey, agentId, input }: { readonly sessionKey: string; readonly agentId: string; readonly input: InputRecord },
  { store, channels, clock, random }: Pick<TurnServices, "store" | "channels" | "clock" | "random">,
): Promise<SessionRecord> {
  const { message, admission } = input;
  const isPlatform = channels.channelFor(message.origin)?.capabilities.addressing === "platform";
  return store.createSession(
    {
      key: sessionKey,
      sessionId: random.uuid(),
      agentId,
      isPrivate: admission.owner && message.origin.conversation.kind === "direct",
      // A command is no name for a conversation.
      displayName: isPlatform ? sessionName(message, true) : message.origin.channel,
      ...(admission.expiresAtMs === undefined ? {} : { expiresAtMs: admission.expiresAtMs }),
    },
    { nowMs: clock.now() },
  );
}
