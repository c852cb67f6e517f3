import type { KeyPath } from "../document/key-path.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import type { AgentRows } from "../schema/agents.ts";
import type { ConfigDocument } from "../schema/root.ts";
import type { BindingTargets } from "./check-bindings.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** `<channel>:<address>` or `<channel>/<account>:<address>`. Ids of platforms have other characters before their first colon. */
const WITH_CHANNEL = /^([a-z][a-z0-9-]*)(?:\/([^:]*))?:/;

/** How addresses of one channel begin, which `WITH_CHANNEL` matches too. */
const KINDS: readonly string[] = ["user", "channel", "group", "thread", "room", "mailto"];

/** Finds heartbeats whose target names a channel or an account that is not there: their texts could not be delivered. */
export function checkHeartbeats({ agents }: Pick<ConfigDocument, "agents">, targets: BindingTargets): ConfigProblem[] {
  return [
    ...checkTarget(agents.defaults, ["agents", "defaults"], targets),
    ...agents.list.flatMap((agent, index) => checkTarget(agent, ["agents", "list", index], targets)),
  ];
}

function checkTarget(
  { heartbeat }: Pick<AgentRows, "heartbeat">,
  agent: KeyPath,
  { channelIds, channels }: BindingTargets,
): ConfigProblem[] {
  const [, channel, account] = (heartbeat === "off" ? undefined : WITH_CHANNEL.exec(heartbeat.target)) ?? [];
  if (channel === undefined) return [];
  const path = [...agent, "heartbeat", "target"];
  if (!channelIds.includes(channel)) {
    if (KINDS.includes(channel)) return [];
    const message = `this build has no channel "${channel}"${suggestion(nearestName(channel, channelIds))}, so what the heartbeat has to say would not be sent; write "owner", "last", "none" or <channel>:<address>`;
    return [problemAt("unknown-channel", path, message)];
  }
  const accounts = Object.keys(channels[channel]?.accounts ?? {});
  const isThere = account === undefined ? accounts.includes("default") || accounts.length === 1 : accounts.includes(account);
  if (isThere) return [];
  const known = accounts.length === 0 ? "it has no account" : `name one of ${accounts.map((id) => `${channel}/${id}`).join(", ")}`;
  const which = account === undefined ? "one account" : "this account";
  return [
    problemAt(
      "notice",
      path,
      `the channel ${channel} is not configured with ${which}, so what the heartbeat has to say is not sent: ${known}`,
    ),
  ];
}
