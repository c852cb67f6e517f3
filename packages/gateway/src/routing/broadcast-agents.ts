import type { BroadcastConfig } from "@factotum/config";
import { accountPersonId, personId } from "../kernel/person-id.ts";
import type { RouteQuery } from "./route.ts";

/** The agents that answer the conversation of a message together, in the order of their answers; `undefined` if one agent does. Ids are compared exactly. */
export function broadcastAgents(
  query: Pick<RouteQuery, "origin" | "senderId" | "earlier">,
  { peers }: Pick<BroadcastConfig, "peers">,
): readonly string[] | undefined {
  const { origin } = query;
  const key = peerIdsOf(query)
    .flatMap((id) => [accountPersonId(origin, id), personId(origin, id), id])
    .find((name) => Object.hasOwn(peers, name));
  return key === undefined ? undefined : peers[key];
}

/** The ids that name the conversation, by precedence: its own, its earlier ones, then that of the group that its thread belongs to. */
function peerIdsOf({ origin: { conversation }, senderId, earlier }: Parameters<typeof broadcastAgents>[0]): readonly string[] {
  if (conversation.kind === "direct") return [senderId];
  const { id, parentId } = conversation;
  const former = earlier?.conversations.flatMap((one) => (one.kind === "direct" ? [] : [one.id])) ?? [];
  return [id, ...former, ...(parentId === undefined ? [] : [parentId]), ...(earlier?.parentIds ?? [])];
}
