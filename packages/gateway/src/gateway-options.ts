import type {
  BackgroundCommands,
  CommandRunner,
  ExternalAgents,
  AgentSessions,
  ScheduledJobs,
  Subagents,
  ToolSource,
  Clock,
  Logger,
  Random,
  SkillIndex,
  SkillUse,
} from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import type { FactotumConfig } from "@factotum/config";
import type { ConfigReloadResult, GatewayStatus } from "@factotum/protocol";
import type { DamageLog, Store } from "@factotum/store";
import type { CheckpointPorts } from "./checkpoints/checkpoint-service.ts";
import type { EditorLinks } from "./editors/editor-links.ts";
import type { CrashPointHook } from "./kernel/crash-point.ts";
import type { ChannelAccount } from "./channels/channel-account.ts";
import type { AdminServices } from "./rpc/admin-services.ts";
import type { GatewayMemory } from "./rpc/memory-handlers.ts";
import type { WebchatHub } from "./rpc/webchat-hub.ts";
import type { OwnerControl } from "./ingress/pairing-service.ts";
import type { HookSource } from "./hooks/hook-source.ts";
import type { PluginRoutesOf } from "./http/plugins/plugin-route.ts";
import type { LocalFiles } from "./media/local-files.ts";
import type { RemoteFiles } from "./media/remote-files.ts";
import type { DiskReserve } from "./storage/disk-reserve.ts";
import type { GatewayParts } from "./gateway-parts.ts";

/** Gateway settings that follow from the configuration and are replaced with it. */
export interface GatewaySettings {
  readonly config: FactotumConfig;
  readonly accounts: (services: { readonly webchatSocket: WebchatHub }) => readonly ChannelAccount[];
  /** Makes the sources of tools around the gateway's ports; the product's own first. */
  readonly toolSources: (
    ports: Pick<GatewayParts, "messenger" | "planBoard" | "questioner" | "reporter" | "restarter" | "media" | "sampler"> & {
      readonly background: BackgroundCommands;
      readonly jobs: ScheduledJobs;
      readonly sessions: AgentSessions;
      readonly subagents: Subagents;
    },
  ) => readonly ToolSource[];
  readonly skills: SkillIndex;
  /** Skill folders besides the workspaces' own. */
  readonly skillFolders: readonly string[];
  /** The gateway's token; `undefined` only for `auth.mode: none`. */
  readonly token: string | undefined;
}

/** Controls the configuration file. */
export interface ConfigControl {
  /** The current state of the file and of the running configuration. */
  report(): GatewayStatus["config"];
  /** Re-reads the file, and applies it if it is valid; with `force` an unchanged file is applied again, because something that it refers to has changed. */
  reload(options?: { readonly force?: boolean }): Promise<ConfigReloadResult>;
  /** Calls back when a file was applied, or could not be for another reason than before. */
  onChange(listener: (result: ConfigReloadResult) => void): Disposable;
}

/** Options from the composition root. All external inputs are injected. */
export interface GatewayOptions extends GatewaySettings {
  readonly version: string;
  /** The state directory; absolute. */
  readonly home: string;
  readonly configControl: ConfigControl;
  readonly services: AdminServices;
  /** Makes the first paired sender the owner. */
  readonly ownerControl: OwnerControl;
  /** Open; its opener closes it after `stop`. */
  readonly store: Store;
  /** Unacknowledged damage of the stored state. */
  readonly damage: Pick<DamageLog, "list" | "acknowledge">;
  /** Space reserved on the disk of the state directory for when it is full; without it nothing is reserved. */
  readonly reserve?: DiskReserve;
  /** Milliseconds that active turns may continue after the gateway stops; unfinished ones are resumed at the next start. */
  readonly drainMs: number;
  /** Reads files that the owner names by path, within the same bounds as the tools. */
  readonly localFiles: LocalFiles;
  /** What files held before turns changed them, and the access to give it back. */
  readonly checkpoints: CheckpointPorts;
  /** What the agents remember. */
  readonly memory: GatewayMemory;
  /** What editors do for runs; its tools have it already. */
  readonly editors: EditorLinks;
  /** Runs the programs that the configuration names, on the host. */
  readonly hostCommands: CommandRunner;
  /** The folders in which they find programs, as in the variable PATH. */
  readonly commandSearchPath: string;
  /** Fetches files of the web that are to be sent. */
  readonly remoteFiles: RemoteFiles;
  /** Worker script of the image decoder, in a bundled product; the source next to it otherwise. */
  readonly imageWorker?: URL;
  /** The program of the thread that reads session files, in the same way. */
  readonly importWorker?: URL;
  /** Folder of the built Control UI. */
  readonly webFolder?: string;
  /** Agents of others; none by default. Its opener ends them after `stop`. */
  readonly externalAgents?: ExternalAgents;
  /** Is told which runs use which skills. By default, nothing is told. */
  readonly skillUse?: SkillUse;
  /** The handlers of hooks, read at each use: those of the running configuration. None by default. */
  readonly hookSources?: () => readonly HookSource[];
  /** The routes of plugins, read for each request: those of the running configuration. None by default. */
  readonly pluginRoutes?: PluginRoutesOf;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  /** Called with every secret that is read while the gateway runs, for the log's filter. */
  readonly onSecret: (value: string) => void;
  /** Replaces every known secret in a text, like the log's filter. */
  readonly hideSecrets: (text: string) => string;
  /** A client requested a restart; resolves when the restart is under way. */
  readonly onRestartRequest: () => Promise<void>;
  /** A client requested a shutdown. */
  readonly onShutdownRequest: (reason: string) => void;
  /** For crash tests only: called each time a crash point is reached. */
  readonly crashPoint?: CrashPointHook;
}
