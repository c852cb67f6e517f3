import { createHash } from "node:crypto";
import { hostname, release, type as osType, arch } from "node:os";
import { renderSystemPrompt } from "@factotum/agent-core";
import type { PromptFacts } from "@factotum/agent-core";
import type { AgentTool, SkillEntry, ThinkingLevel } from "@factotum/agent-contract";
import type { ChannelCapabilities } from "@factotum/channel-contract";
import type { GroupConfig } from "@factotum/config";
import type { PromptRecord } from "@factotum/store";
import type { PromptCause } from "./prompt-cause.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";

/** What the prompt of a session is rendered from. Nothing here belongs to one message. */
export interface SessionPromptFacts {
  readonly agent: AgentRuntime;
  readonly sessionId: string;
  readonly tools: readonly AgentTool[];
  readonly skills: readonly SkillEntry[];
  readonly workspace: string;
  readonly modelReference: string;
  readonly defaultModelReference: string;
  readonly thinking: ThinkingLevel;
  readonly authorizedSenders: readonly string[];
  readonly extra?: string;
  /** Commands of this build's command line. */
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  /** The channel that the session's replies go to, if it has one. */
  readonly channel?: { readonly id: string; readonly capabilities: ChannelCapabilities };
  readonly group?: { readonly platform: string; readonly config: GroupConfig | undefined };
}

/** Renders part 1 and fixes part 5 for a session. */
export function renderSessionPrompt(
  facts: SessionPromptFacts,
  cause: PromptCause,
  nowMs: number,
): Omit<PromptRecord, "sessionId" | "basis"> {
  const system = renderSystemPrompt(promptFacts(facts), "full");
  const tools = facts.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const hash = createHash("sha256")
    .update(JSON.stringify([system, tools]))
    .digest("hex");
  return { system, tools, hash, cause, renderedAtMs: nowMs };
}

function promptFacts(facts: SessionPromptFacts): PromptFacts {
  const { agent, channel, group } = facts;
  const shell = process.env["SHELL"]?.split("/").at(-1);
  return {
    agent: { id: agent.config.id, ...(agent.name === undefined ? {} : { name: agent.name }) },
    ...(agent.config.systemPrompt === undefined ? {} : { instructions: agent.config.systemPrompt }),
    tools: facts.tools.map(({ name, summary }) => ({ name, summary, origin: "core" })),
    skills: facts.skills,
    commands: facts.commands,
    workspace: facts.workspace,
    documentation: facts.documentation,
    authorizedSenders: facts.authorizedSenders,
    deliversToChannel: channel !== undefined,
    ...(group === undefined
      ? {}
      : {
          group: {
            platform: group.platform,
            activation: (group.config?.requireMention ?? true) ? "mention" : "always",
            ...(group.config?.systemPrompt === undefined ? {} : { instructions: group.config.systemPrompt }),
          },
        }),
    timeZone: agent.config.userTimezone,
    ...(facts.extra === undefined ? {} : { extra: facts.extra }),
    runtime: {
      session: facts.sessionId,
      host: hostname(),
      repo: facts.workspace,
      os: `${osType()} ${release()} (${arch()})`,
      node: process.version,
      model: facts.modelReference,
      defaultModel: facts.defaultModelReference,
      ...(shell === undefined ? {} : { shell }),
      ...(channel === undefined ? {} : { channel: channel.id }),
      capabilities: channel === undefined ? [] : capabilityNames(channel.capabilities),
      thinking: facts.thinking,
    },
  };
}

function capabilityNames(capabilities: ChannelCapabilities): readonly string[] {
  const flags = ["edit", "delete", "reactions", "polls", "buttons", "cards"] as const;
  return flags.filter((flag) => capabilities[flag]);
}
