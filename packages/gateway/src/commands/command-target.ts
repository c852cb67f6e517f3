import type { InputRecord, SessionPatch, SessionRecord } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { sessionName } from "../turn/session-name.ts";
import type { TurnServices } from "../turn/turn-services.ts";

/** The conversation that a command is about. */
export interface CommandTarget {
  readonly sessionKey: string;
  /** Of the agent that the message was routed to. */
  readonly agentId: string;
  readonly input: InputRecord;
}

/** The session, if it has begun, and its agent. */
export interface CommandSession {
  readonly record: SessionRecord | undefined;
  readonly agent: AgentRuntime;
}

/** Looks the conversation up. */
export async function readTarget({ sessionKey, agentId }: CommandTarget, { store, agents }: TurnServices): Promise<CommandSession> {
  return { record: await store.readSession(sessionKey), agent: agents.get(agentId) ?? agents.default };
}

/** Writes what was chosen for the conversation onto its entry, which is made if nothing was said in it yet. */
export async function changeOverrides(
  { sessionKey, agentId, input }: CommandTarget,
  overrides: NonNullable<SessionPatch["overrides"]>,
  { store, channels, clock, random, events }: TurnServices,
): Promise<void> {
  const { message, admission } = input;
  const nowMs = clock.now();
  const isPlatform = channels.channelFor(message.origin)?.capabilities.addressing === "platform";
  await store.createSession(
    {
      key: sessionKey,
      sessionId: random.uuid(),
      agentId,
      isPrivate: admission.owner && message.origin.conversation.kind === "direct",
      // A command is no name for a conversation.
      displayName: isPlatform ? sessionName(message, true) : message.origin.channel,
      ...(admission.expiresAtMs === undefined ? {} : { expiresAtMs: admission.expiresAtMs }),
    },
    { nowMs },
  );
  await store.patchSession(sessionKey, { overrides }, { nowMs });
  events.sessionChanged(sessionKey);
}
