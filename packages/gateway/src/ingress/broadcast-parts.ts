import type { InputAdmission, InputRecord, OtherParts } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { readIdentityName } from "../workspace/bootstrap-files.ts";

type Said = Pick<InputRecord, "message" | "admission">;

/** A message as the inputs of the agents that answer it. */
interface BroadcastParts {
  /** With the ids of the platform. */
  readonly first: Said;
  /** Absent: one agent answers. */
  readonly others?: OtherParts;
}

/** Divides a message of a channel among the agents that answer its conversation. Each part has the address with the agent's name, with which its answers begin. */
export async function broadcastParts(
  said: Said,
  { policy, running }: { readonly policy: InputPolicy; readonly running: RunningConfig },
): Promise<BroadcastParts> {
  const agentIds = policy.broadcastAgents(said.message);
  if (agentIds === undefined) return { first: said };
  const [first, ...parts] = await Promise.all(
    agentIds.map(async (agentId, index) =>
      partOf(said, { agentId, isFirst: index === 0, speaker: agentIds.length > 1 ? await nameOf(agentId, running) : undefined }),
    ),
  );
  if (first === undefined) return { first: said };
  if (parts.length === 0) return { first };
  return { first, others: { parts, isOrdered: running.config.broadcast.strategy === "sequential" } };
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
