import type { ThinkingLevel } from "@factotum/agent-contract";
import type { ChannelCapabilities, Origin } from "@factotum/channel-contract";
import type { AccountConfig, GroupConfig } from "@factotum/config";
import type { SessionRecord } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { preferCredential } from "../requests/session-credential.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** What is known of a session before its turn, apart from its model. */
export interface SessionFacts {
  readonly record: SessionRecord | undefined;
  readonly sessionId: string;
  readonly agent: AgentRuntime;
  readonly group: GroupConfig | undefined;
  readonly isGroup: boolean;
  /** `undefined`: the model's own. */
  readonly thinking: ThinkingLevel | undefined;
  /** Who sees the model's thoughts. */
  readonly reasoning: "off" | "on" | "stream";
  /** Whether the chat is told of tools. */
  readonly verbose: "off" | "on" | "full";
  readonly channel:
    | { readonly id: string; readonly capabilities: ChannelCapabilities; readonly account: AccountConfig | undefined }
    | undefined;
}

/** What a turn stands on. */
export interface SessionContext extends SessionFacts {
  readonly model: ResolvedModel;
  readonly fallbacks: readonly ResolvedModel[];
}

/** Looks up what a turn of this session stands on. Rejects with a `ModelError` when its model cannot be used. */
export async function readSessionContext(
  sessionKey: string,
  agentId: string,
  origin: Origin,
  services: TurnServices,
): Promise<SessionContext> {
  const facts = await readSessionFacts(sessionKey, agentId, origin, services);
  const { agent, record } = facts;
  return {
    ...facts,
    model: preferCredential(await agent.model(record?.overrides.model), record?.overrides.authProfile),
    fallbacks: await agent.fallbacks(record?.overrides.model),
  };
}

/** The same without the models: nothing in the configuration makes it fail. */
export async function readSessionFacts(sessionKey: string, agentId: string, origin: Origin, services: TurnServices): Promise<SessionFacts> {
  const record = await services.store.readSession(sessionKey);
  const agent = services.agents.get(agentId) ?? services.agents.default;
  const channel = services.channels.channelFor(origin);
  const account = services.channels.accountFor(origin);
  const isGroup = origin.conversation.kind !== "direct";
  return {
    record,
    sessionId: record?.sessionId ?? services.random.uuid(),
    agent,
    isGroup,
    thinking: record?.overrides.thinking ?? agent.config.thinking,
    reasoning: record?.overrides.reasoning ?? agent.config.reasoning,
    verbose: record?.overrides.verbose ?? agent.config.verbose,
    group: groupOf(origin, services.channels),
    channel: channel === undefined ? undefined : { id: origin.channel, capabilities: channel.capabilities, account },
  };
}

/** The session as it is after what was done to it. */
export async function refreshed(context: SessionContext, { store }: Pick<TurnServices, "store">): Promise<SessionContext> {
  const { record } = context;
  return record === undefined ? context : { ...context, record: (await store.readSession(record.key)) ?? record };
}

/** What is configured for the group of an address. */
export function groupOf(origin: Origin, channels: TurnServices["channels"]): GroupConfig | undefined {
  const { kind, id } = origin.conversation;
  const groups = kind === "direct" ? undefined : channels.accountFor(origin)?.groups;
  return groups?.[id] ?? groups?.["*"];
}
