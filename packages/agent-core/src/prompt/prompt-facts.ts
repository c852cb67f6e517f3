import type { RunKind, SkillEntry } from "@factotum/agent-contract";
import type { PlannedFile } from "../bootstrap/bootstrap-file.ts";

/** `full` for people's sessions, `minimal` for sub-agents, `none` for the identity alone. */
export type PromptMode = "full" | "minimal" | "none";

/** Where a tool comes from; core tools stand before all others. */
export type ToolOrigin = "core" | "plugin";

/** A tool as the Tooling section shows it. Client tools are left out by the host. */
interface PromptTool {
  readonly name: string;
  readonly summary: string;
  readonly origin: ToolOrigin;
}

/** A skill as the index shows it; the body is read by the model when it needs it. */
export type PromptSkill = Pick<SkillEntry, "name" | "description" | "location" | "version">;

/** The group or channel of the session. Holds configuration only: no name, subject or topic of the platform. */
interface PromptGroup {
  /** Display name of the platform, such as `Feishu`. */
  readonly platform: string;
  /** `mention`: the agent is woken only when it is addressed; `always`: by every message. */
  readonly activation: "mention" | "always";
  /** The group's configured `systemPrompt`. */
  readonly instructions?: string;
}

/** The fields of the Runtime line, in its order. What is unknown is left out. */
interface PromptRuntime {
  /** The session's id, not its key: a key holds ids of the platform. */
  readonly session: string;
  readonly host?: string;
  readonly repo?: string;
  readonly os?: string;
  readonly node?: string;
  /** Reference of the session's model, also during a failover. */
  readonly model: string;
  readonly defaultModel?: string;
  readonly shell?: string;
  readonly channel?: string;
  /** Empty: `none`. */
  readonly capabilities: readonly string[];
  readonly thinking: string;
}

/** Where tools run in sandboxed turns. */
export interface PromptSandbox {
  /** Whose turns are sandboxed: everybody's, or all but the owner's. */
  readonly turns: "all" | "non-owner";
  readonly backend: string;
  /** The working folder as tools see it. */
  readonly folder: string;
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** `none`, or the name of what can be reached. */
  readonly network: string;
  /** What of commands on the host: never, each after an approval, or freely. */
  readonly elevated: "off" | "ask" | "full";
}

/** What the channel of the session can show, from its declared capabilities. */
export interface PromptChannel {
  /** The channel's name of its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  /** Longest single message. */
  readonly maxMessageChars: number;
  /** True when the channel has reactions and the `message` tool can set them. */
  readonly reactions: boolean;
  /** True when the channel plays voice messages. */
  readonly voice: boolean;
}

/** Who sees the model's thoughts. */
export interface PromptReasoning {
  readonly visibility: "off" | "on" | "stream";
  /** True when the model keeps its thoughts apart by itself. */
  readonly native: boolean;
}

/**
 * Everything that the system prompt is made of. Nothing here belongs to one message, and nothing comes from a platform: the prompt is
 * rendered once per session and kept (R14).
 */
export interface PromptFacts {
  readonly agent: {
    readonly id: string;
    /** From IDENTITY.md or the configuration; the product's name when left out. */
    readonly name?: string;
  };
  /** The configured `systemPrompt`, verbatim. */
  readonly instructions?: string;
  /** Every tool of the session but client tools, in any order. */
  readonly tools: readonly PromptTool[];
  readonly skills: readonly PromptSkill[];
  /** Commands of the product's own command line that exist in this build, as typed, each with its purpose in a few words. */
  readonly commands: readonly { readonly usage: string; readonly purpose: string }[];
  /** True when this build can replace itself by a newer version. */
  readonly selfUpdate?: boolean;
  readonly modelAliases?: readonly { readonly alias: string; readonly model: string }[];
  /** Absolute path of the one working directory. Left out for a session that others than the owner read: its prompt names no path of the owner's. */
  readonly workspace?: string;
  /** Where the product's documentation is; the section is left out when nothing is known. */
  readonly documentation: { readonly folder?: string; readonly url?: string };
  /** Twelve hexadecimal digits for each owner; empty when none is configured. */
  readonly authorizedSenders: readonly string[];
  /** The workspace's bootstrap files, as `planBootstrap` chose and cut them. */
  readonly projectContext?: readonly PlannedFile[];
  /** Set when some turns of the session are sandboxed. */
  readonly sandbox?: PromptSandbox;
  /** Set for private sessions whose workspace has the file. */
  readonly privateMemory?: PlannedFile;
  /** True when a reply of this session can be delivered to a channel. */
  readonly deliversToChannel: boolean;
  /** The channel that replies go to. */
  readonly channel?: PromptChannel;
  /** Set for sessions of groups and channels. */
  readonly group?: PromptGroup;
  /** Set for the main and the heartbeat session of an agent that has a heartbeat. `prompt` is what the owner wrote in place of the usual words. */
  readonly heartbeat?: { readonly prompt: string | undefined };
  /** The kind of run that the session was made for; `user` by default. */
  readonly run?: RunKind;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  /** Subagent Context, or the `system` messages of an HTTP request. */
  readonly extra?: string;
  readonly reasoning?: PromptReasoning;
  readonly runtime: PromptRuntime;
}

/** One section of the system prompt. Its place is its place in the array of `sections/index.ts`. */
export interface PromptSection {
  readonly id: string;
  /** `stable`: the same for all sessions of an agent; `session`: fixed for one session. */
  readonly half: "stable" | "session";
  readonly modes: readonly PromptMode[];
  /** The section's text with its heading, without blank lines around it; `undefined` when it does not apply. Pure. */
  render(facts: PromptFacts): string | undefined;
}

/** A section that was rendered, for the prompt and for the report of what the model sees. */
export interface RenderedSection {
  readonly id: string;
  readonly half: "stable" | "session";
  readonly text: string;
}
