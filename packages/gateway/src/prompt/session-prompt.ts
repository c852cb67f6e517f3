import { createHash } from "node:crypto";
import { hostname, release, type as osType, arch } from "node:os";
import { renderSystemPrompt } from "@factotum/agent-core";
import type { planBootstrap, PromptFacts } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, RunKind, SkillEntry, ThinkingLevel, ToolSchema, ToolSource } from "@factotum/agent-contract";
import type { ChannelCapabilities } from "@factotum/channel-contract";
import type { GroupConfig } from "@factotum/config";
import type { PromptRecord } from "@factotum/store";
import { canReact, hasTarget } from "./can-react.ts";
import type { PromptCause } from "./prompt-cause.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";

/** The facts that a session's prompt is rendered from. None of them belongs to one message. */
export interface SessionPromptFacts {
  readonly agent: AgentRuntime;
  /** From IDENTITY.md or the configuration. */
  readonly name: string | undefined;
  readonly sessionId: string;
  readonly kind: RunKind;
  /** It is the agent's main session, or the one that its heartbeats have of their own. */
  readonly hasHeartbeats: boolean;
  readonly tools: readonly AgentTool[];
  readonly deferredTools: readonly AgentTool[];
  /** Sources of the session alone. */
  readonly addedSources?: readonly ToolSource[];
  /** Sources whose tools may be missing. */
  readonly brokenSources: readonly string[];
  /** Tools of a client: only their schemas are sent, after the others. */
  readonly clientTools: readonly ToolSchema[];
  readonly skills: readonly SkillEntry[];
  readonly bootstrap: ReturnType<typeof planBootstrap>;
  /** The working directory of tools; omitted if others than the owner can read the session. */
  readonly workspace?: string;
  /** Absent if no turn of the session is sandboxed. */
  readonly sandbox?: PromptFacts["sandbox"];
  readonly modelReference: string;
  readonly defaultModelReference: string;
  /** A level, or `default` for the model's own. */
  readonly thinking: ThinkingLevel | "default";
  readonly reasoning: NonNullable<PromptFacts["reasoning"]>;
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
  const { system, sections } = renderSystemPrompt(promptFacts(facts));
  const tools = [...facts.tools, ...facts.clientTools].map(({ name, description, parameters }) => ({ name, description, parameters }));
  const hash = createHash("sha256")
    .update(JSON.stringify([system, tools]))
    .digest("hex");
  const outline = {
    sections: sections.map(({ id, half, text }) => ({ id, half, chars: text.length })),
    cutFiles: facts.bootstrap.truncations,
  };
  return { system, tools, hash, cause, renderedAtMs: nowMs, outline };
}

function promptFacts(facts: SessionPromptFacts): PromptFacts {
  const { agent, bootstrap, channel, group, name } = facts;
  const { heartbeat } = agent.config;
  const shell = process.env["SHELL"]?.split("/").at(-1);
  return {
    agent: { id: agent.config.id, ...withoutUndefined({ name }) },
    ...withoutUndefined({ instructions: agent.config.systemPrompt }),
    tools: facts.tools.map(({ name, summary }) => ({ name, summary, origin: agent.toolOrigin(name, facts.addedSources) })),
    deferredTools: facts.deferredTools.map(({ name }) => ({ name, source: agent.toolSource(name, facts.addedSources) })),
    ...(facts.brokenSources.length === 0 ? {} : { brokenSources: facts.brokenSources }),
    skills: facts.skills,
    commands: facts.commands,
    ...withoutUndefined({ workspace: facts.workspace, sandbox: facts.sandbox }),
    documentation: facts.documentation,
    authorizedSenders: facts.authorizedSenders,
    modelAliases: Object.entries(agent.config.models).flatMap(([model, { alias }]) => (alias === undefined ? [] : [{ alias, model }])),
    projectContext: bootstrap.projectContext,
    ...withoutUndefined({ privateMemory: bootstrap.privateMemory }),
    ...(facts.hasHeartbeats && heartbeat !== "off" ? { heartbeat: { prompt: heartbeat.prompt } } : {}),
    run: facts.kind,
    reasoning: facts.reasoning,
    deliversToChannel: channel !== undefined,
    writesElsewhere: hasTarget(facts.tools),
    ...(channel === undefined ? {} : { channel: promptChannel(channel.capabilities, canReact(facts.tools)) }),
    ...(group === undefined
      ? {}
      : {
          group: {
            platform: group.platform,
            activation: (group.config?.requireMention ?? true) ? "mention" : "always",
            ...withoutUndefined({ instructions: group.config?.systemPrompt }),
          },
        }),
    timeZone: agent.config.userTimezone,
    ...withoutUndefined({ extra: facts.extra }),
    runtime: {
      session: facts.sessionId,
      host: hostname(),
      ...withoutUndefined({ repo: facts.workspace }),
      os: `${osType()} ${release()} (${arch()})`,
      node: process.version,
      model: facts.modelReference,
      defaultModel: facts.defaultModelReference,
      ...withoutUndefined({ shell, channel: channel?.id }),
      capabilities: channel === undefined ? [] : capabilityNames(channel.capabilities),
      thinking: facts.thinking,
    },
  };
}

function promptChannel({ text, reactions, media }: ChannelCapabilities, reacts: boolean): NonNullable<PromptFacts["channel"]> {
  return {
    dialect: text.dialect,
    markdown: text.markdown,
    maxMessageChars: text.maxLength,
    reactions: reactions && reacts,
    voice: media.some(({ kind }) => kind === "audio"),
  };
}

function capabilityNames(capabilities: ChannelCapabilities): readonly string[] {
  const flags = ["edit", "delete", "reactions", "polls", "buttons", "cards"] as const;
  return flags.filter((flag) => capabilities[flag]);
}
