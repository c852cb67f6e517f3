import type { Clock, CommandRunner, ExternalAgents, Logger, PlanBoard, Random, SkillUse } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import type { DamageLog, Store } from "@factotum/store";
import type { Questions } from "../approvals/questions.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import type { ConfigSettings } from "../agents/running-config.ts";
import type { CheckpointPorts } from "../checkpoints/checkpoint-service.ts";
import type { EditorLinks } from "../editors/editor-links.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { OwnerControl } from "../ingress/pairing-service.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { DiskReserve } from "../storage/disk-reserve.ts";
import type { AgentJobs } from "../schedule/agent-jobs.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { ChannelAccount } from "../channels/channel-account.ts";

/** Engine options that follow from the configuration and are replaced with it. */
export interface EngineSettings extends ConfigSettings {
  readonly accounts: readonly ChannelAccount[];
}

/** Options of the engine. */
export interface EngineOptions extends EngineSettings {
  /** The state directory. */
  readonly home: string;
  readonly store: Store;
  /** Unacknowledged damage of the stored state. */
  readonly damage: Pick<DamageLog, "list" | "acknowledge">;
  readonly owners: OwnerControl;
  /** The background commands of sessions; its tools have it already. */
  readonly sessionCommands: SessionCommands;
  /** Asks the people of runs; its tools have it already. */
  readonly questions: Questions;
  /** Shows plans in chats; its tools have it already. */
  readonly planBoard: PlanBoard;
  /** Disk space that is reserved for a full disk. */
  readonly reserve?: DiskReserve | undefined;
  /** Reads files that the owner names by path. */
  readonly localFiles: LocalFiles;
  /** What files held before turns changed them. */
  readonly checkpoints: CheckpointPorts;
  /** What editors do for runs; its tools have it already. */
  readonly editors: EditorLinks;
  /** Agents of others, which can be the models of conversations. */
  readonly externalAgents: ExternalAgents;
  /** Runs the programs that the configuration names, on the host. */
  readonly hostCommands: CommandRunner;
  /** The folders in which they find programs, as in the variable PATH. */
  readonly commandSearchPath: string;
  /** The sub-agents of all sessions; connected by the engine. */
  readonly subagents: SessionSubagents;
  /** The jobs as the agents' tool sees them; connected by the engine. */
  readonly agentJobs: AgentJobs;
  /** Fetches web files to send. */
  readonly remoteFiles: RemoteFiles;
  /** Worker script of the image decoder, in a bundled product. */
  readonly imageWorker?: URL;
  /** Worker script that reads session files, in a bundled product. */
  readonly importWorker?: URL;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly hideSecrets: (text: string) => string;
  /** Another process has taken over the state directory: writes are fenced off. */
  readonly onLostOwnership: () => void;
  /** Milliseconds that turns may continue during shutdown. */
  readonly drainMs: number;
  readonly skillUse: SkillUse;
  /** The handlers of hooks, those of the running configuration. */
  readonly hookSources: () => readonly HookSource[];
  /** Of the product. */
  readonly version: string;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  /** For crash tests only. */
  readonly crashPoint?: CrashPointHook | undefined;
}
