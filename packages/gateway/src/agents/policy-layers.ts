import type { FactotumConfig, GroupConfig, ResolvedAgent, ToolPolicy } from "@factotum/config";
import { execLayer } from "./tool-policy.ts";
import type { NamedToolLayer } from "./tool-policy.ts";

/** A person by the ids that `toolsBySender` names: the platform's own, which nobody can change. */
interface ToolSender {
  readonly channel: string;
  readonly id: string;
}

/** What decides about the tools of a run, apart from its agent. */
export interface PolicyOccasion {
  /** Id of the model's provider. */
  readonly provider: string;
  readonly group: GroupConfig | undefined;
  /** Everyone whose message is in the run: each of them narrows it. Empty for what the whole session has. */
  readonly senders: readonly ToolSender[];
  readonly sandboxed: boolean;
  /** The session is a sub-agent's. */
  readonly subagent: boolean;
}

/** Tools that are reserved for conversations of people: settings, schedules, messages, and their status. */
export const NOT_FOR_SUBAGENTS: ToolPolicy = { deny: ["gateway", "cron", "message", "sessions_send", "agents_list", "session_status"] };

/** Every layer of the tool policy, widest first. A tool is available if all of them admit it, so each can only narrow. */
export function policyLayers(
  agent: Pick<ResolvedAgent, "id" | "tools" | "subagents">,
  { tools }: Pick<FactotumConfig, "tools">,
  { provider, group, senders, sandboxed, subagent }: PolicyOccasion,
): readonly NamedToolLayer[] {
  const byProvider = Object.hasOwn(tools.byProvider, provider) ? tools.byProvider[provider] : undefined;
  return [
    { layer: "exec", key: "tools.exec", policy: execLayer(tools.exec) },
    { layer: "global", key: "tools", policy: tools },
    ...(agent.tools === undefined ? [] : [{ layer: "agent", key: `tools of the agent ${agent.id}`, policy: agent.tools } as const]),
    ...(byProvider === undefined ? [] : [{ layer: "provider", key: `tools.byProvider.${provider}`, policy: byProvider } as const]),
    ...(group?.tools === undefined ? [] : [{ layer: "group", key: "tools of the group", policy: group.tools } as const]),
    ...senders.flatMap((sender) => senderLayer(group, sender) ?? []),
    ...(sandboxed ? [{ layer: "sandbox", key: "tools.sandbox.tools", policy: tools.sandbox.tools } as const] : []),
    ...(subagent
      ? [
          { layer: "subagent", key: `subagents.tools of the agent ${agent.id}`, policy: agent.subagents.tools } as const,
          { layer: "subagent", key: "what no sub-agent has", policy: NOT_FOR_SUBAGENTS } as const,
        ]
      : []),
  ];
}

/** The layer of one sender in a group; of several keys that name the sender, the most exact one counts. */
function senderLayer(group: GroupConfig | undefined, { channel, id }: ToolSender): NamedToolLayer | undefined {
  const policies: Readonly<Record<string, ToolPolicy>> = group?.toolsBySender ?? {};
  // An id of a platform may be the name of an inherited property.
  const key = [`channel:${channel}:${id}`, `id:${id}`, id, "*"].find((name) => Object.hasOwn(policies, name));
  const policy = key === undefined ? undefined : policies[key];
  return policy === undefined ? undefined : { layer: "sender", key: `toolsBySender.${key ?? ""} of the group`, policy };
}
