import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import type { DamageLog, Store } from "@factotum/store";
import type { ConfigSettings } from "../agents/running-config.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { DiskReserve } from "../storage/disk-reserve.ts";
import type { ChannelAccount } from "../channels/channel-account.ts";

/** What of the engine comes out of the configuration: made anew with each. */
export interface EngineSettings extends ConfigSettings {
  readonly accounts: readonly ChannelAccount[];
}

/** What the engine is made of. */
export interface EngineOptions extends EngineSettings {
  /** The state directory. */
  readonly home: string;
  readonly store: Store;
  /** What of the stored state was damaged and nobody has acknowledged yet. */
  readonly damage: Pick<DamageLog, "list" | "acknowledge">;
  /** Space that is kept for the end of the disk's. */
  readonly reserve?: DiskReserve | undefined;
  /** Reads what the owner names by its path. */
  readonly localFiles: LocalFiles;
  /** Fetches files of the web that are to be sent. */
  readonly remoteFiles: RemoteFiles;
  /** The program of the image decoder's thread, when the product was bundled. */
  readonly imageWorker?: URL;
  /** The program of the thread that reads session files, when the product was bundled. */
  readonly importWorker?: URL;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly hideSecrets: (text: string) => string;
  /** Another process has taken over the state directory: nothing can be written any more. */
  readonly onLostOwnership: () => void;
  /** How long turns may go on once the gateway ends. */
  readonly drainMs: number;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  /** For crash tests alone. */
  readonly crashPoint?: CrashPointHook | undefined;
}
