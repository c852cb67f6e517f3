import { COMPACTION_DEFAULTS, THINKING_LEVELS, type ThinkingLevel } from "@factotum/agent-contract";
import * as z from "zod";
import { AllowedHostSchema } from "./allowed-host.ts";
import { ToolPolicySchema, type ToolPolicy } from "./tools.ts";
import { AmountSchema, CountSchema, DurationSchema, IdSchema, SecondsSchema, texts, TextSchema, TimeZoneSchema } from "./values.ts";

/** The model of an agent and its fallbacks, as written references. */
export interface ModelChoice {
  readonly primary: string;
  readonly fallbacks: readonly string[];
}

/** How an agent runs unattended on a timer. */
export interface HeartbeatConfig {
  readonly every: string;
  readonly prompt?: string | undefined;
  readonly target: string;
  readonly model?: string | undefined;
  readonly lightContext: boolean;
  readonly isolatedSession: boolean;
  readonly activeHours?: { readonly start: string; readonly end: string; readonly timezone?: string | undefined } | undefined;
  readonly ackMaxChars: number;
}

/** Where the commands of an agent run. */
export interface SandboxConfig {
  /**
   * `off`: no turn is sandboxed; other people and groups work in the agent's workspace, without commands. `non-main`: turns of other people, and all turns of
   * groups and channels. `all`: every turn.
   */
  readonly mode: "off" | "non-main" | "all";
  readonly scope: "session" | "agent" | "shared";
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** Absent: `sandboxes` in the state directory. */
  readonly workspaceRoot?: string | undefined;
  readonly sessionToolsVisibility: "spawned" | "all";
  readonly backend: "auto" | "bubblewrap" | "docker" | "podman" | "seatbelt";
  /** Image of `docker` and `podman`; never pulled by the gateway. */
  readonly image: string;
  /** `none`, or the hosts that commands may reach: names, `*.example.com`, addresses, each optionally with a port. */
  readonly network: "none" | { readonly allow: readonly string[] };
}

/** The pause between the blocks of one answer: none, 800 to 2,500 ms, or these bounds. */
export interface HumanDelayConfig {
  readonly mode: "off" | "natural" | "custom";
  readonly minMs: number;
  readonly maxMs: number;
}

/** The settings of `agents.defaults` and `agents.list[]`, where the list takes precedence. */
export interface AgentRows {
  /** Absent: chosen from the environment. */
  readonly model?: ModelChoice | undefined;
  /** By reference. */
  readonly models: Readonly<Record<string, { readonly alias?: string | undefined; readonly params: Readonly<Record<string, unknown>> }>>;
  readonly workspace?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly skipBootstrap: boolean;
  readonly bootstrapMaxChars: number;
  readonly bootstrapTotalMaxChars: number;
  /** Absent: the host's. */
  readonly userTimezone?: string | undefined;
  /** Absent: the model's own. */
  readonly thinking?: ThinkingLevel | undefined;
  readonly verbose: "off" | "on" | "full";
  readonly reasoning: "off" | "on" | "stream";
  /** One run; waiting for approvals does not count. */
  readonly timeoutSeconds: number;
  readonly tools: ToolPolicy;
  readonly skills: { readonly allow?: readonly string[] | undefined };
  readonly heartbeat: "off" | HeartbeatConfig;
  readonly sandbox: SandboxConfig;
  readonly subagents: {
    readonly allowAgents: readonly string[];
    readonly maxDepth: number;
    readonly maxChildren: number;
    readonly maxConcurrent: number;
    readonly tools: ToolPolicy;
    readonly archiveAfterMinutes: number;
    readonly budget: { readonly tokens?: number | undefined; readonly usd?: number | undefined };
  };
  readonly compaction: {
    readonly reserveTokens: number;
    readonly keepRecentTokens: number;
    readonly model?: string | undefined;
    readonly memoryFlush: boolean;
    readonly notifyUser: boolean;
  };
  readonly contextPruning: { readonly mode: "cache-ttl" | "off" };
  readonly blockStreamingDefault: "off" | "on";
  readonly blockStreamingBreak: "text_end" | "message_end";
  readonly blockStreamingChunk: { readonly minChars: number; readonly maxChars: number };
  readonly blockStreamingCoalesce: { readonly idleMs: number };
  readonly humanDelay: HumanDelayConfig;
}

/** One entry of `agents.list`. */
export interface AgentEntry extends AgentRows {
  readonly id: string;
  readonly name?: string | undefined;
  readonly default: boolean;
  readonly identity: { readonly name?: string | undefined; readonly emoji?: string | undefined };
}

/** `agents.defaults`. */
export interface AgentDefaults extends AgentRows {
  /** Concurrent runs of the main lane. Absent: min(16, max(8, cores)). */
  readonly maxConcurrent?: number | undefined;
}

const TimeOfDaySchema = texts('a time such as "08:30" is expected', /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/);

const ModelChoiceSchema: z.ZodType<ModelChoice> = z.union([
  TextSchema.transform((primary) => ({ primary, fallbacks: [] })),
  z.strictObject({
    primary: TextSchema.describe("The model that is asked first, as `provider/model`."),
    fallbacks: z.array(TextSchema).default([]).describe("Models that are asked in this order when the ones before fail."),
  }),
]);

const HeartbeatSchema: z.ZodType<"off" | HeartbeatConfig> = z.union([
  z.literal("off"),
  z.strictObject({
    every: DurationSchema.describe("Duration between two runs."),
    prompt: TextSchema.optional().describe("What the agent is asked in such a run."),
    target: TextSchema.default("owner").describe("Who is notified of the result."),
    model: TextSchema.optional().describe("Another model for these runs."),
    lightContext: z.boolean().default(false).describe("Runs with a short prompt."),
    isolatedSession: z.boolean().default(false).describe("Runs in a session of its own."),
    activeHours: z
      .strictObject({
        start: TimeOfDaySchema.describe("Time of day from which on it runs, such as `08:00`."),
        end: TimeOfDaySchema.describe("Time of day until which it runs, such as `22:00`; up to `24:00`."),
        timezone: TimeZoneSchema.optional().describe("Time zone of both times. Unset: `userTimezone`."),
      })
      .optional()
      .describe("Hours of the day in which it runs. Unset: all day."),
    ackMaxChars: AmountSchema.default(300).describe("Characters besides `HEARTBEAT_OK` that an answer may have and still is not sent."),
  }),
]);

const SandboxSchema: z.ZodType<SandboxConfig> = z.strictObject({
  mode: z
    .enum(["off", "non-main", "all"])
    .default("non-main")
    .describe(
      "Whose commands run in a sandbox. `non-main`: those of other people, and all of groups and channels; `all`: also the owner's; `off`: none, and other people work in the agent's workspace without commands.",
    ),
  scope: z.enum(["session", "agent", "shared"]).default("session").describe("Which sandboxed sessions share a workspace."),
  workspaceAccess: z
    .enum(["none", "ro", "rw"])
    .default("none")
    .describe("Access of sandboxed turns to the agent's workspace. `none`: they have a workspace of their own."),
  workspaceRoot: TextSchema.optional().describe("Where the workspaces of sandboxes lie. Unset: `sandboxes` in the state directory."),
  sessionToolsVisibility: z
    .enum(["spawned", "all"])
    .default("spawned")
    .describe(
      "Which sessions the session tools of a sandboxed turn reach. `spawned`: those that its session has started; `all`: those that it would reach without the sandbox.",
    ),
  backend: z
    .enum(["auto", "bubblewrap", "docker", "podman", "seatbelt"])
    .default("auto")
    .describe("What the sandbox is made with. `auto`: bubblewrap (on macOS seatbelt), else podman, else docker."),
  image: TextSchema.default("docker.io/library/debian:stable-slim").describe(
    "Image of docker and podman. The gateway never pulls it: fetch it once.",
  ),
  network: z
    .union([
      z.literal("none"),
      z.strictObject({
        allow: z
          .array(AllowedHostSchema)
          .describe(
            "Hosts that commands may reach through the gateway's proxy: names, `*.example.com` for all names below, addresses. Ports 80 and 443, or the one that is named (`a.example:8443`). Private addresses must be listed as addresses.",
          ),
      }),
    ])
    .default("none")
    .describe("Network of sandboxed commands: none, or single hosts. With hosts, each command needs a decision."),
});

const rows = {
  model: ModelChoiceSchema.optional().describe(
    "The model as `provider/model`, or an object with fallbacks. Unset: chosen from the keys in the environment and a local Ollama.",
  ),
  models: z
    .record(
      TextSchema,
      z.strictObject({
        alias: TextSchema.optional().describe("A short name for the model `<name>`, for `/model` and for other keys."),
        params: z
          .record(z.string(), z.unknown())
          .default({})
          .describe("Parameters of requests to this model. `cacheRetention` is the one that has an effect in this version."),
      }),
    )
    .default({})
    .describe("Settings of single models, by their reference `provider/model`."),
  workspace: TextSchema.optional().describe(
    "Folder of the agent's files. Unset: `workspace` in the state directory, `workspace-<id>` for further agents.",
  ),
  systemPrompt: z.string().optional().describe("Text that is added to the system prompt."),
  skipBootstrap: z
    .boolean()
    .default(false)
    .describe("Leaves the workspace's bootstrap files (such as AGENTS.md and SOUL.md) out of the prompt and does not create them."),
  bootstrapMaxChars: CountSchema.default(20_000).describe("Characters of one bootstrap file that go into the prompt; the rest is cut."),
  bootstrapTotalMaxChars: CountSchema.default(60_000).describe("Characters of all bootstrap files together that go into the prompt."),
  userTimezone: TimeZoneSchema.optional().describe("Time zone of the user, such as `Europe/Berlin`. Unset: the zone of the machine."),
  thinking: z.enum(THINKING_LEVELS).optional().describe("How much the model thinks before it answers. Unset: the model's own default."),
  verbose: z.enum(["off", "on", "full"]).default("off").describe("How much of the tool calls is shown in the chat."),
  reasoning: z
    .enum(["off", "on", "stream"])
    .default("off")
    .describe("Whether the model's thoughts are shown: not at all, with the answer, or while they arrive."),
  timeoutSeconds: SecondsSchema.default(3600).describe("How long one run may take."),
  tools: ToolPolicySchema.prefault({}).describe("Tools of the agent; the list narrows what `tools` allows."),
  skills: z
    .strictObject({ allow: z.array(TextSchema).optional().describe("Skills that the agent may use. Unset: all; empty: none.") })
    .prefault({})
    .describe("Skills of the agent."),
  heartbeat: HeartbeatSchema.prefault("off").describe("How the agent wakes itself up, or `off`."),
  sandbox: SandboxSchema.prefault({}).describe("Where the commands of other people and of groups run, and where their files lie."),
  subagents: z
    .strictObject({
      allowAgents: z.array(TextSchema).default([]).describe("Agents that this agent may start as subagents."),
      maxDepth: z.int().min(0).max(5).default(1).describe("How deep subagents may start further ones."),
      maxChildren: AmountSchema.default(5).describe("Subagents of one session that are open at the same time, idle ones included."),
      maxConcurrent: CountSchema.default(8).describe("Subagents that run at the same time."),
      tools: ToolPolicySchema.prefault({}).describe("The tools of subagents."),
      budget: z
        .strictObject({
          tokens: CountSchema.optional().describe("Tokens of a task and of all that it starts. Unset: no limit."),
          usd: z.number().positive().optional().describe("US dollars of the same. Unset: no limit."),
        })
        .prefault({})
        .describe("What one task may use, together with all that it starts."),
      archiveAfterMinutes: CountSchema.default(60).describe("How long the conversation of a subagent is kept after its end."),
    })
    .prefault({})
    .describe("Which agents an agent may start, and how many."),
  compaction: z
    .strictObject({
      reserveTokens: CountSchema.default(COMPACTION_DEFAULTS.reserveTokens).describe(
        "Tokens of the context window that are kept free for the answer.",
      ),
      keepRecentTokens: CountSchema.default(COMPACTION_DEFAULTS.keepRecentTokens).describe(
        "Tokens of the newest messages that compaction leaves as they are.",
      ),
      model: TextSchema.optional().describe("Another model for summaries."),
      memoryFlush: z.boolean().default(true).describe("Lets the agent write down what matters before older messages are summarised."),
      notifyUser: z.boolean().default(false).describe("Says in the chat that older messages were summarised."),
    })
    .prefault({})
    .describe("How older messages are summarised when the context window fills up."),
  contextPruning: z
    .strictObject({
      mode: z
        .enum(["cache-ttl", "off"])
        .default("cache-ttl")
        .describe("`cache-ttl`: drops old tool results from requests once the provider's cache has expired anyway."),
    })
    .prefault({})
    .describe("How old tool results are dropped from requests."),
  blockStreamingDefault: z
    .enum(["off", "on"])
    .default("off")
    .describe("`on` sends finished paragraphs while the model still writes, on channels that allow it (`blockStreaming`)."),
  blockStreamingBreak: z
    .enum(["text_end", "message_end"])
    .default("text_end")
    .describe("Whether a block ends with each text of the model or with its whole message."),
  blockStreamingChunk: z
    .strictObject({
      minChars: CountSchema.default(800).describe("A block is not shorter than this."),
      maxChars: CountSchema.default(1200).describe("A block is not longer than this."),
    })
    .prefault({})
    .describe("Bounds of the length of a block, in characters."),
  blockStreamingCoalesce: z
    .strictObject({ idleMs: AmountSchema.default(1000).describe("Milliseconds without new text after which a block is sent.") })
    .prefault({})
    .describe("How small blocks are joined."),
  humanDelay: z
    .strictObject({
      mode: z
        .enum(["off", "natural", "custom"])
        .default("off")
        .describe("Pause between the blocks of one answer: none, 800 to 2,500 ms, or the bounds below."),
      minMs: AmountSchema.default(800).describe("Shortest pause in milliseconds, with `custom`."),
      maxMs: AmountSchema.default(2500).describe("Longest pause in milliseconds, with `custom`."),
    })
    .prefault({})
    .describe("Pauses between the blocks of one answer, as a person makes them."),
};

/** Parses `agents.defaults`. */
export const AgentDefaultsSchema: z.ZodType<AgentDefaults> = z
  .strictObject({
    ...rows,
    maxConcurrent: CountSchema.optional().describe(
      "Turns of people that run at the same time, over all agents. Unset: as many as processor cores, from 8 to 16.",
    ),
  })
  .describe("Settings of every agent, unless the agent has its own.");

/** Parses one entry of `agents.list`, or such an entry merged over the defaults. */
export const AgentEntrySchema: z.ZodType<AgentEntry> = z.strictObject({
  id: IdSchema.describe("Id of the agent: lower case letters, digits, `-` and `_`. It becomes part of session keys and folders."),
  name: TextSchema.optional().describe("Name for people."),
  default: z
    .boolean()
    .default(false)
    .describe("The agent for everything that no binding sends elsewhere. Unset everywhere: the first one."),
  identity: z
    .strictObject({
      name: TextSchema.optional().describe("Name under which the agent introduces itself."),
      emoji: TextSchema.optional().describe("Emoji of the agent; lists of agents show it before the name."),
    })
    .prefault({})
    .describe("How the agent introduces itself."),
  ...rows,
});
