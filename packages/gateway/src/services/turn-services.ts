import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import type { FactotumConfig } from "@factotum/config";
import type { Cooldowns } from "@factotum/models";
import type { Store } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { AgentDirectory } from "../agents/agent-directory.ts";
import type { ModelSource } from "../agents/model-source.ts";
import type { ToolGate } from "../access/tool-gate.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { AccountGates } from "../delivery/account-gates.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { TypingIndicator } from "../delivery/typing-indicator.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { Observer } from "../observe/observer.ts";
import type { TurnContext } from "../observe/turn-context.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { FailedRuns } from "../observe/failed-runs.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { Compactor } from "../summaries/compact-session.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { Notices } from "../notices/notices.ts";
import type { SessionCache } from "../context/session-cache.ts";

/**
 * What turns are run with. One object for the whole gateway. `config`, `agents`, `models` and `ownerDisplaySecret` are those of the configuration that
 * runs at the moment of asking: they change together, between two steps of the program.
 */
export interface TurnServices {
  readonly running: RunningConfig;
  /** Its writes wait when the disk is full; new inputs are refused then. */
  readonly store: Store;
  readonly storage: StorageGuard;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly dispatcher: Dispatcher;
  readonly notices: Notices;
  readonly gates: AccountGates;
  /** Shows in chats that an answer is being written. */
  readonly typing: TypingIndicator;
  readonly events: SessionEvents;
  readonly media: MediaStage;
  /** Reads as the file tools do. */
  readonly files: LocalFiles;
  /** Fetches files of the web. */
  readonly remoteFiles: RemoteFiles;
  readonly watchers: InputWatchers;
  readonly cache: SessionCache;
  readonly toolGate: ToolGate;
  readonly spend: SpendGuard;
  readonly compactor: Compactor;
  /** Which credentials and models rest after failures. */
  readonly cooldowns: Cooldowns;
  readonly observer: Observer;
  /** Agents whose newest run has failed. */
  readonly failedRuns: FailedRuns;
  /** Names the turn in what is logged. */
  readonly turnContext: TurnContext;
  readonly clock: Clock;
  /** The time by which things are thrown away for their age: see `createSteadyNow`. */
  readonly steadyNow: () => number;
  readonly random: Random;
  readonly logger: Logger;
  /** Takes every secret of the process out of a text. */
  readonly hideSecrets: (text: string) => string;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  /** For crash tests alone. */
  readonly crashPoint?: CrashPointHook | undefined;
}
