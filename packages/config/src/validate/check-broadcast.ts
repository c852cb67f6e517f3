import { nearestName } from "@factotum/agent-contract";
import type { KeyPath } from "../document/key-path.ts";
import { suggestion } from "../suggestion.ts";
import type { ConfigDocument } from "../schema/root.ts";
import { isAvailable, type ChannelSource } from "./channel-source.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";
import type { ChannelConfig } from "../schema/accounts.ts";

/** The channels of this build, and those of the file. */
interface BroadcastChannels {
  readonly sources: readonly ChannelSource[];
  readonly channels: Readonly<Record<string, ChannelConfig>>;
}

/** Checks `broadcast`: its agents must exist, and messages of its people and groups must be able to arrive. */
export function checkBroadcast({ broadcast, agents, session }: ConfigDocument, available: BroadcastChannels): ConfigProblem[] {
  const ids = agents.list.length === 0 ? ["main"] : agents.list.map(({ id }) => id);
  const peers = Object.entries(broadcast.peers);
  const invalid = (path: KeyPath, message: string): ConfigProblem => problemAt("invalid-value", path, message);
  const problems = peers.flatMap(([peer, agentIds]) => {
    const route = routeProblem(peer, available);
    return [
      ...(route === undefined ? [] : [invalid(["broadcast", peer], route)]),
      ...agentIds.flatMap((agentId, index) => {
        const path: KeyPath = ["broadcast", peer, index];
        if (agentIds.indexOf(agentId) < index) return [invalid(path, `"${agentId}" is in the list already`)];
        return ids.includes(agentId) ? [] : [invalid(path, `there is no agent "${agentId}"${suggestion(nearestName(agentId, ids))}`)];
      }),
    ];
  });
  if (peers.length > 0 && session.scope === "global")
    problems.push(invalid(["broadcast"], 'each agent needs a session of its own; set session.scope to "per-sender"'));
  return problems;
}

/** Why no message of a person or a group can arrive; `undefined` if one can. */
function routeProblem(peer: string, { sources, channels }: BroadcastChannels): string | undefined {
  // The gateway's own chat is present without being configured; its messages name their session and are never routed.
  const routed = sources.filter((source) => !isAvailable(source) || source.implicit !== true).map(({ id }) => id);
  const configured = routed.filter((id) => Object.keys(channels[id]?.accounts ?? {}).length > 0);
  const [, channel = "", accountId] = /^([a-z0-9_-]+)(?:\/([^:]+))?:./.exec(peer) ?? [];
  if (configured.includes(channel)) {
    const accounts = Object.keys(channels[channel]?.accounts ?? {});
    if (accountId === undefined || accounts.includes(accountId)) return undefined;
    return `the channel "${channel}" has no account "${accountId}"${suggestion(nearestName(accountId, accounts))}, so no message arrives from there`;
  }
  if (routed.includes(channel)) return `the channel "${channel}" is not configured, so no message arrives from there`;
  if (sources.some(({ id }) => id === channel)) return `messages of "${channel}" name their session, so one agent answers each`;
  if (configured.length === 0) return "no channel is configured, so no message arrives from there";
  return accountId === undefined && configured.length === 1
    ? undefined
    : `the id needs a configured channel in front: ${configured.map((id) => `"${id}:…"`).join(" or ")}`;
}
