import type { RunKind, SkillEntry } from "@factotum/agent-contract";
import type { PlannedFile } from "../bootstrap/bootstrap-file.ts";

/** `full` for people's sessions, `minimal` for sub-agents, `none` for the identity section alone. */
export type PromptMode = "full" | "minimal" | "none";

/** The origin of a tool; core tools come first. */
export type ToolOrigin = "core" | "plugin";

/** A tool in the Tooling section. The host leaves client tools out. */
interface PromptTool {
  readonly name: string;
  readonly summary: string;
  readonly origin: ToolOrigin;
}

/** A skill in the index; the model reads the body when it needs it. */
export type PromptSkill = Pick<SkillEntry, "name" | "description" | "location" | "version">;

/** The group or channel of the session, from configuration only: no name, subject or topic of the platform. */
interface PromptGroup {
  /** Display name of the platform, such as `Feishu`. */
  readonly platform: string;
  /** `mention`: only messages that address the agent start a run; `always`: every message does. */
  readonly activation: "mention" | "always";
  /** The group's configured `systemPrompt`. */
  readonly instructions?: string;
}

/** The fields of the Runtime line, in order. Unknown ones are omitted. */
interface PromptRuntime {
  /** The session's id, not its key, because keys contain platform ids. */
  readonly session: string;
  readonly host?: string;
  readonly repo?: string;
  readonly os?: string;
  readonly node?: string;
  /** Reference of the session's model, also during failover. */
  readonly model: string;
  readonly defaultModel?: string;
  readonly shell?: string;
  readonly channel?: string;
  /** Shown as `none` if empty. */
  readonly capabilities: readonly string[];
  readonly thinking: string;
}

/** The sandbox of sandboxed turns. */
export interface PromptSandbox {
  /** Whose turns are sandboxed: everybody's, or all but the owner's. */
  readonly turns: "all" | "non-owner";
  readonly backend: string;
  /** The working directory as tools see it. */
  readonly folder: string;
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** `none`, or the name of the reachable network. */
  readonly network: string;
  /** Commands on the host: never, with approval, or freely. */
  readonly elevated: "off" | "ask" | "full";
}

/** Display capabilities of the session's channel. */
export interface PromptChannel {
  /** The channel's name for its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  /** Maximum characters of one message. */
  readonly maxMessageChars: number;
  /** True if the channel has reactions and the `message` tool can set them. */
  readonly reactions: boolean;
  /** True if the channel plays voice messages. */
  readonly voice: boolean;
}

/** Where the model's thoughts are shown. */
export interface PromptReasoning {
  readonly visibility: "off" | "on" | "stream";
  /** True if the model separates its thoughts natively. */
  readonly native: boolean;
}

/** All facts in the system prompt. None of them belongs to one message or comes from a platform: the prompt is rendered once per session and kept (R14). */
export interface PromptFacts {
  readonly agent: {
    readonly id: string;
    /** From IDENTITY.md or the configuration; the product's name if omitted. */
    readonly name?: string;
  };
  /** The configured `systemPrompt`, verbatim. */
  readonly instructions?: string;
  /** All tools of the session except client tools, in any order. */
  readonly tools: readonly PromptTool[];
  /** Tools that are reached through `tool_search` and `tool_call`, with their sources. Only names of core tools are shown: those of others are not our text. */
  readonly deferredTools?: readonly { readonly name: string; readonly source: string }[];
  /** Sources that cannot be used, so that their tools may be missing; absent without any. */
  readonly brokenSources?: readonly string[];
  readonly skills: readonly PromptSkill[];
  /** Commands of the product's CLI in this build, as typed, each with a short description. */
  readonly commands: readonly {
    readonly usage: string;
    readonly purpose: string;
    /** The `gateway` tool does the same: sessions that have it are not told of the command. */
    readonly isInGatewayTool?: boolean;
  }[];
  /** True if this build can update itself. */
  readonly selfUpdate?: boolean;
  readonly modelAliases?: readonly { readonly alias: string; readonly model: string }[];
  /** Absolute path of the working directory. Omitted for a session that others than the owner can read: its prompt names no path of the owner's. */
  readonly workspace?: string;
  /** Where the product's documentation is; without it the section is omitted. */
  readonly documentation: { readonly folder?: string; readonly url?: string };
  /** Twelve hexadecimal digits per owner; empty if none is configured. */
  readonly authorizedSenders: readonly string[];
  /** The workspace's bootstrap files, selected and truncated by `planBootstrap`. */
  readonly projectContext?: readonly PlannedFile[];
  /** Set if some turns of the session are sandboxed. */
  readonly sandbox?: PromptSandbox;
  /** Set for private sessions whose workspace has the file. */
  readonly privateMemory?: PlannedFile;
  /** True if a reply of this session can be delivered to a channel. */
  readonly deliversToChannel: boolean;
  /** Messages can be sent to other conversations; true by default. */
  readonly writesElsewhere?: boolean;
  /** The channel of replies. */
  readonly channel?: PromptChannel;
  /** Set for sessions of groups and channels. */
  readonly group?: PromptGroup;
  /** Set for the main and the heartbeat session of an agent with a heartbeat. `prompt`: the owner's text that replaces the default. */
  readonly heartbeat?: { readonly prompt: string | undefined };
  /** The kind of run that created the session; `user` by default. */
  readonly run?: RunKind;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  /** The Subagent Context, or the `system` messages of an HTTP request. */
  readonly extra?: string;
  readonly reasoning?: PromptReasoning;
  readonly runtime: PromptRuntime;
}

/** One section of the system prompt. Its position is that in the array of `sections/index.ts`. */
export interface PromptSection {
  readonly id: string;
  /** `stable`: the same for all sessions of an agent; `session`: fixed for one session. */
  readonly half: "stable" | "session";
  readonly modes: readonly PromptMode[];
  /** The section's text with its heading, without surrounding blank lines; `undefined` if it does not apply. Pure. */
  render(facts: PromptFacts): string | undefined;
}

/** A rendered section, for the prompt and for context reports. */
export interface RenderedSection {
  readonly id: string;
  readonly half: "stable" | "session";
  readonly text: string;
}
