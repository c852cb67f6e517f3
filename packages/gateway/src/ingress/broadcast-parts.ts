import type { MsgContext } from "@factotum/channel-contract";
import type { InputAdmission, InputRecord, OtherParts, OutboxStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { readIdentityName } from "../workspace/bootstrap-files.ts";

type Said = Pick<InputRecord, "message" | "admission">;

/** A message as the inputs of the agents that answer it. */
interface BroadcastParts {
  /** With the ids of the platform. */
  readonly first: Said;
  /** Absent: one agent answers. */
  readonly others?: OtherParts;
}

/** What dividing needs. */
interface BroadcastOptions {
  readonly store: Pick<OutboxStore, "listSentMessage">;
  readonly policy: InputPolicy;
  readonly running: RunningConfig;
}

/**
 * Divides a message of a channel among the agents that answer its conversation. Each part has the address with the agent's name, with which its answers begin. A
 * press of a button and a reaction are for the agent whose message they belong to.
 */
export async function broadcastParts(said: Said, options: BroadcastOptions): Promise<BroadcastParts> {
  const { policy, running } = options;
  const all = policy.broadcastAgents(said.message);
  if (all === undefined) return { first: said };
  const author = await authorOfTarget(said.message, options);
  const agentIds = author !== undefined && all.includes(author) ? [author] : all;
  const [first, ...parts] = await Promise.all(
    agentIds.map(async (agentId, index) => {
      const speaker = all.length > 1 ? await nameOf(agentId, running) : undefined;
      return partOf(said, { agentId, isFirst: index === 0, speaker });
    }),
  );
  if (first === undefined) return { first: said };
  if (parts.length === 0) return { first };
  return { first, others: { parts, isOrdered: running.config.broadcast.strategy === "sequential" } };
}

/** The agent that has sent the message which a button was pressed in, or which got a reaction. */
async function authorOfTarget({ event, origin }: MsgContext, { store }: BroadcastOptions): Promise<string | undefined> {
  if ((event.type !== "action" && event.type !== "reaction") || event.targetId === undefined) return undefined;
  const [row] = await store.listSentMessage(origin, event.targetId);
  return row === undefined ? undefined : parseAgentSessionKey(row.sessionKey)?.agentId;
}

function partOf(
  { message, admission }: Said,
  { agentId, isFirst, speaker }: { readonly agentId: string; readonly isFirst: boolean; readonly speaker: string | undefined },
): Said & { readonly admission: InputAdmission & Required<Pick<InputAdmission, "broadcast">> } {
  return {
    message: {
      ...message,
      origin: speaker === undefined ? message.origin : { ...message.origin, speaker },
      // Keys of answers contain the event id.
      eventId: isFirst ? message.eventId : `${message.eventId}:${agentId}`,
    },
    admission: { ...admission, broadcast: { agentId } },
  };
}

/** As the prompt names the agent. */
async function nameOf(agentId: string, running: RunningConfig): Promise<string> {
  const agent = running.agent(agentId);
  return (await readIdentityName(agent.config.workspace)) ?? agent.name ?? agentId;
}
