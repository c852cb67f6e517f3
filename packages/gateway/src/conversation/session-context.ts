import { withoutUndefined } from "@factotum/agent-contract";
import type { ThinkingLevel } from "@factotum/agent-contract";
import type { ChannelCapabilities, Origin } from "@factotum/channel-contract";
import type { AccountConfig, GroupConfig } from "@factotum/config";
import type { SessionRecord } from "@factotum/store";
import { groupSettings } from "../access/admit-message.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { RunOccasion } from "../agents/run-place.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";

/** The facts of a session before its turn, apart from its model. */
export interface SessionFacts {
  readonly record: SessionRecord | undefined;
  readonly sessionId: string;
  readonly agent: AgentRuntime;
  readonly group: GroupConfig | undefined;
  readonly isGroup: boolean;
  /** The session's own folder; `undefined`: the agent's workspace. */
  readonly workspace: string | undefined;
  /** `undefined`: the model's own. */
  readonly thinking: ThinkingLevel | undefined;
  /** Where the model's thoughts are shown. */
  readonly reasoning: "off" | "on" | "stream";
  /** How much of tool calls the chat is shown. */
  readonly verbose: "off" | "on" | "full";
  readonly channel:
    | { readonly id: string; readonly capabilities: ChannelCapabilities; readonly account: AccountConfig | undefined }
    | undefined;
}

/** The facts of a session that decide the folder of its runs: whether it is a group's, and its own folder. */
export function sessionPlace({
  workspace,
  isGroup,
}: Pick<SessionFacts, "workspace" | "isGroup">): Pick<RunOccasion, "group" | "workspace"> {
  return { group: isGroup, ...withoutUndefined({ workspace }) };
}

/** The facts of a turn. */
export interface SessionContext extends SessionFacts {
  readonly model: ResolvedModel;
  readonly fallbacks: readonly ResolvedModel[];
}

/** True if a turn may get data that is private to the owner: it is the owner's turn, and nobody else writes to or reads its session. */
export function isPrivateTurn({ record, isGroup }: Pick<SessionFacts, "record" | "isGroup">, owner: boolean): boolean {
  return owner && !isGroup && (record?.isPrivate ?? true);
}

/** The configured settings of an address's group; a thread has those of its group, one that has moved those of its earlier id. */
export function groupOf(origin: Origin, channels: Pick<ChannelRegistry, "accountFor" | "moves">): GroupConfig | undefined {
  const groups = origin.conversation.kind === "direct" ? undefined : channels.accountFor(origin)?.groups;
  return groups === undefined ? undefined : groupSettings(groups, channels.moves.idsOf(origin));
}
