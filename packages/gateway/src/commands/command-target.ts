import type { InputRecord, SessionPatch, SessionRecord } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { TurnServices } from "../services/turn-services.ts";

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

/** Writes what was chosen for the conversation onto its entry. */
export async function changeOverrides(
  target: CommandTarget,
  overrides: NonNullable<SessionPatch["overrides"]>,
  services: TurnServices,
): Promise<void> {
  await services.conversations.ensure(target);
  await services.store.patchSession(target.sessionKey, { overrides }, { nowMs: services.clock.now() });
  services.events.sessionChanged(target.sessionKey);
}
