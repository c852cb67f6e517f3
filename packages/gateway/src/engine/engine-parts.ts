import { InputPolicy } from "../conversation/input-policy.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ExternalAgents, PlanBoard, Random, Clock, Logger, SkillUse } from "@factotum/agent-contract";
import type { Store } from "@factotum/store";
import type { PromptFacts } from "@factotum/agent-core";
import { Cooldowns } from "@factotum/models";
import { publicFetch } from "../media/public-fetch.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { LocalFiles } from "../media/local-files.ts";
import { ApprovalService } from "../approvals/approval-service.ts";
import type { Questions } from "../approvals/questions.ts";
import { WaitingCalls } from "../approvals/waiting-calls.ts";
import { ParkedCalls } from "../approvals/parked-calls.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import { PairedSenders } from "../access/paired-senders.ts";
import type { ToolGate } from "../access/tool-gate.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import { createToolGate } from "../access/tool-gate.ts";
import { ChannelRegistry } from "../channels/channel-registry.ts";
import { webhookUrl } from "../channels/webhook-url.ts";
import { COMMANDS } from "../commands/command-table.ts";
import { CommandMenu } from "../commands/host-commands.ts";
import { PromptCommands } from "../commands/prompt-commands.ts";
import { RESERVED_COMMANDS } from "../commands/reserved-names.ts";
import { FailedRuns } from "../observe/failed-runs.ts";
import { MediaProblems } from "../observe/media-problems.ts";
import { createSteadyNow } from "../kernel/steady-now.ts";
import { FileChanges } from "../workspace/file-changes.ts";
import { RunningConfig } from "../agents/running-config.ts";
import { AnswerOrder } from "../delivery/answer-order.ts";
import { AccountGates } from "../delivery/account-gates.ts";
import { Dispatcher } from "../delivery/dispatcher.ts";
import type { DispatcherOptions } from "../delivery/dispatcher.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { TypingIndicator } from "../delivery/typing-indicator.ts";
import type { EngineOptions } from "./engine-options.ts";
import { SessionEvents } from "../events/session-events.ts";
import { MediaStage } from "../media/media-stage.ts";
import { Speaker } from "../media/speech/speaker.ts";
import { Transcriber } from "../media/transcription/transcriber.ts";
import type { EditorLinks } from "../editors/editor-links.ts";
import { HookRunner } from "../hooks/hook-runner.ts";
import { Observer } from "../observe/observer.ts";
import { RefusedSenders } from "../observe/refused-senders.ts";
import { TurnContext } from "../observe/turn-context.ts";
import { DeadLetterChanges } from "../storage/dead-letter-changes.ts";
import { createGuardedStore } from "../storage/guarded-store.ts";
import { StorageGuard } from "../storage/storage-guard.ts";
import { SpendGuard } from "../spend/spend-guard.ts";
import { Compactor, type CompactorOptions } from "../compaction/compact-session.ts";
import { InputWatchers } from "../queue/run-report.ts";
import { PendingEvents } from "../queue/pending-events.ts";
import { ToolLimits } from "../queue/tool-limits.ts";
import { TurnQueue } from "../queue/turn-queue.ts";
import { Conversations } from "../conversation/conversations.ts";
import { Notices } from "../notices/notices.ts";
import { SessionCache } from "../context/session-cache.ts";

/** Maximum concurrent unattended runs. */
const CRON_CAPACITY = 4;

/** The parts of the engine, for the layers above it. */
export interface EngineParts {
  readonly running: RunningConfig;
  /** Writes of running work wait while the disk is full; new inputs are refused. */
  readonly store: Store;
  readonly storage: StorageGuard;
  readonly letterChanges: DeadLetterChanges;
  readonly channels: ChannelRegistry;
  readonly queue: TurnQueue;
  readonly pendingEvents: PendingEvents;
  readonly toolLimits: ToolLimits;
  readonly sessionCommands: SessionCommands;
  readonly subagents: SessionSubagents;
  /** What editors do for the runs of their sessions. */
  readonly editors: EditorLinks;
  readonly conversations: Conversations;
  readonly policy: InputPolicy;
  readonly paired: PairedSenders;
  readonly dispatcher: Dispatcher;
  readonly notices: Notices;
  readonly gates: AccountGates;
  /** Shows in chats that an answer is being written. */
  readonly typing: TypingIndicator;
  /** Holds what agents answer one after the other. */
  readonly answerOrder: AnswerOrder;
  readonly events: SessionEvents;
  readonly media: MediaStage;
  /** Reads files like the file tools. */
  readonly files: LocalFiles;
  /** Fetches web files. */
  readonly remoteFiles: RemoteFiles;
  readonly watchers: InputWatchers;
  readonly cache: SessionCache;
  readonly toolGate: ToolGate;
  /** Asks the owner about tool calls. */
  readonly approvals: ApprovalService;
  /** Asks the people of runs. */
  readonly questions: Questions;
  /** The calls that wait for a person. */
  readonly waitingCalls: WaitingCalls;
  /** Runs calls that were allowed late. */
  readonly parkedCalls: ParkedCalls;
  readonly spend: SpendGuard;
  readonly compactor: Compactor;
  /** Credentials and models that cool down after failures. */
  readonly cooldowns: Cooldowns;
  readonly refused: RefusedSenders;
  readonly observer: Observer;
  /** Calls the handlers of plugins and of the owner's commands. */
  readonly hooks: HookRunner;
  /** Agents whose newest run has failed. */
  readonly failedRuns: FailedRuns;
  /** Services for media whose newest use has failed. */
  readonly mediaProblems: MediaProblems;
  /** Names the turn in log lines. */
  readonly turnContext: TurnContext;
  readonly clock: Clock;
  /** The time by which data is removed for its age: see `createSteadyNow`. */
  readonly steadyNow: () => number;
  readonly random: Random;
  readonly logger: Logger;
  /** Replaces every known secret in a text. */
  readonly hideSecrets: (text: string) => string;
  /** Skills and commands of the user's own. */
  readonly promptCommands: PromptCommands;
  /** Tells clients of changed files. */
  readonly fileChanges: FileChanges;
  /** The menus of channels. */
  readonly menu: CommandMenu;
  readonly skillUse: SkillUse;
  readonly externalAgents: ExternalAgents;
  /** Shows the plans of runs in chats. */
  readonly planBoard: PlanBoard;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
  /** For crash tests only. */
  readonly crashPoint?: CrashPointHook | undefined;
}

/** Creates the parts that turns run with, each from those before it. They report to the layers above by events, which the engine handles. */
export function createEngineParts(options: EngineOptions): EngineParts {
  const { clock, random } = options;
  const turnContext = new TurnContext();
  const logger = turnContext.logger(options.logger);
  const disk = createStorage(options, logger);
  const { store } = disk;
  const base = {
    clock,
    random,
    logger,
    externalAgents: options.externalAgents,
    hooks: new HookRunner({ sources: options.hookSources, clock, logger }),
  };
  const { running, fileChanges } = createRunning(options, { logger, onSourcesChanged: () => menu.refreshSoon() });
  const promptCommands = new PromptCommands(RESERVED_COMMANDS);
  const menu = new CommandMenu({ commands: COMMANDS, promptCommands, running, clock, logger });
  const { channels, gates } = createChannels(options, { store, logger, menu, publicUrl: () => running.config.gateway.publicUrl });
  const observer = new Observer({ clock, logger, currentTurn: () => turnContext.turnId });
  const events = new SessionEvents();
  const dispatcher = new Dispatcher({
    store,
    ...addressesOf(channels),
    readFile: async (file) => media.outbound.read(file),
    gates,
    ...base,
    observer,
    outside: (work) => turnContext.run(undefined, work),
    crashPoint: options.crashPoint,
  });
  const paired = new PairedSenders();
  const queue = createQueue(running, clock);
  const cache = new SessionCache({ maxSessions: 256, maxChars: 16 * 1024 * 1024 });
  const cooldowns = new Cooldowns();
  const watchers = new InputWatchers();
  const answerOrder = new AnswerOrder({ store, watchers, dispatcher, clock, logger });
  const toolLimits = new ToolLimits({ maxConcurrent: () => running.config.tools.exec.maxConcurrent });
  const { home, sessionCommands } = options;
  sessionCommands.connect({ store, toolLimits, ...base });
  const conversations = new Conversations({ store, running, channels, cache, events, sessionCommands, ...base });
  const spend = createSpend({ running, store, clock, logger });
  const mediaProblems = new MediaProblems();
  const media = createMedia(options, { running, spend, mediaProblems, clock, logger });
  const notices = new Notices({ store, running, channels, conversations, dispatcher, events, watchers, clock });
  const subagents = options.subagents.connect({ store, running, channels, notices, watchers, sessionCommands, home, ...base });
  return {
    ...disk,
    running,
    channels,
    queue,
    toolLimits,
    sessionCommands,
    subagents,
    conversations,
    policy: new InputPolicy({ running, channels, paired, logger }),
    paired,
    notices,
    dispatcher,
    gates,
    typing: createTyping(options, { store, running, channels, queue, dispatcher, logger }),
    events,
    media,
    files: options.localFiles,
    watchers,
    answerOrder,
    cache,
    ...createDecisions(options, { store, running, channels, conversations, queue, toolLimits, notices, watchers, ...base }),
    cooldowns,
    fileChanges,
    observer,
    mediaProblems,
    turnContext,
    spend,
    compactor: new Compactor({ store, running, spend, subagents, cooldowns, events, cache, observer, tell: tellIn(notices), ...base }),
    ...base,
    steadyNow: createSteadyNow(clock),
    promptCommands,
    menu,
    ...givenParts(options),
  };
}

/** The configuration, whose agents' files are watched. */
function createRunning(
  options: EngineOptions,
  rest: { readonly logger: Logger; readonly onSourcesChanged: () => void },
): Pick<EngineParts, "running" | "fileChanges"> {
  const fileChanges = new FileChanges({ clock: options.clock });
  const running: RunningConfig = new RunningConfig(options, {
    home: options.home,
    ...rest,
    onFilesChanged: (workspace, kinds) => {
      for (const { id: agentId } of running.config.agents.filter((agent) => agent.workspace === workspace))
        for (const kind of kinds) fileChanges.announce({ agentId, kind });
    },
  });
  return { running, fileChanges };
}

/** Says something in the chat of a session, if it has one. */
function tellIn(notices: Notices): CompactorOptions["tell"] {
  return async ({ key, lastOrigin }, { id, text }) => {
    if (lastOrigin !== undefined) await notices.sendToChat(key, lastOrigin, { text, identity: ["compacted", id] });
  };
}

/** The store as the engine uses it, with what watches it. */
function createStorage({ store, reserve, clock }: EngineOptions, logger: Logger): Pick<EngineParts, "store" | "storage" | "letterChanges"> {
  const storage = new StorageGuard({ reserve, probe: async () => store.probe(), clock, logger });
  const letterChanges = new DeadLetterChanges();
  return { store: letterChanges.watch(createGuardedStore(store, storage)), storage, letterChanges };
}

/** Creates what charges model calls, by the days of the agents' users. */
function createSpend({ running, store, clock, logger }: Pick<EngineParts, "running" | "store" | "clock" | "logger">): SpendGuard {
  return new SpendGuard({
    caps: () => running.config.spend,
    store,
    clock,
    logger,
    timeZoneOf: (agentId) => (running.agents.get(agentId) ?? running.agents.default).config.userTimezone,
    dayOf: (agentId, nowMs) => (running.agents.get(agentId) ?? running.agents.default).time.day(nowMs),
  });
}

/** The parts that come from outside under their own names, and those that need nothing. */
function givenParts({
  editors,
  planBoard,
  remoteFiles,
  hideSecrets,
  skillUse,
  commands,
  documentation,
  crashPoint,
}: EngineOptions): Pick<
  EngineParts,
  | "failedRuns"
  | "pendingEvents"
  | "refused"
  | "editors"
  | "planBoard"
  | "remoteFiles"
  | "hideSecrets"
  | "skillUse"
  | "commands"
  | "documentation"
  | "crashPoint"
> {
  const own = { failedRuns: new FailedRuns(), pendingEvents: new PendingEvents(), refused: new RefusedSenders() };
  return { ...own, editors, planBoard, remoteFiles, hideSecrets, skillUse, commands, documentation, crashPoint };
}

/** Creates the channels, and the gates that hold messages to accounts that their platform rejects. */
function createChannels(
  { accounts, fetch, remoteFiles, clock, random }: EngineOptions,
  { store, logger, menu, publicUrl }: Pick<EngineParts, "store" | "logger" | "menu"> & { readonly publicUrl: () => string | undefined },
): Pick<EngineParts, "channels" | "gates"> {
  const base = { clock, random, logger };
  const gates = new AccountGates(base);
  const channels = new ChannelRegistry({
    accounts,
    store,
    ...base,
    fetch,
    fetchPublic: publicFetch(remoteFiles),
    commands: menu,
    webhookUrlOf: (account) => webhookUrl(publicUrl(), account),
    problemOf: (account) => gates.problemOf(account),
    onStarted: (account) => gates.retryNow(account),
  });
  gates.events.on("account-works", (account) => channels.retryStart(account));
  return { channels, gates };
}

/** What delivery asks about the addresses of its rows. */
function addressesOf(channels: ChannelRegistry): Pick<DispatcherOptions, "channelFor" | "moves" | "isStarted" | "isConfigured"> {
  return {
    channelFor: (target) => channels.channelFor(target),
    moves: channels.moves,
    isStarted: (target) => channels.isStarted(target),
    isConfigured: (account) => channels.accountFor(account) !== undefined,
  };
}

/** Creates what decides about tool calls. */
function createDecisions(
  { editors, questions }: EngineOptions,
  parts: Pick<
    EngineParts,
    "store" | "running" | "channels" | "conversations" | "queue" | "toolLimits" | "notices" | "watchers" | "clock" | "random" | "logger"
  >,
): Pick<EngineParts, "toolGate" | "waitingCalls" | "approvals" | "questions" | "parkedCalls"> {
  const waitingCalls = new WaitingCalls(parts);
  const asking = { ...parts, calls: waitingCalls };
  questions.connect(asking);
  return {
    toolGate: createToolGate(),
    waitingCalls,
    approvals: new ApprovalService(asking),
    questions,
    parkedCalls: new ParkedCalls({ ...parts, editors }),
  };
}

function createQueue(running: RunningConfig, clock: Clock): TurnQueue {
  return new TurnQueue({
    clock,
    capacities: () => ({ main: running.config.maxConcurrent, subagent: subagentCapacity(running.config), cron: CRON_CAPACITY }),
  });
}

function subagentCapacity({ agents, defaultAgentId }: EngineOptions["config"]): number {
  return agents.find(({ id }) => id === defaultAgentId)?.subagents.maxConcurrent ?? 8;
}

function createMedia(
  { home, localFiles, imageWorker, hostCommands, random }: EngineOptions,
  { running, spend, mediaProblems, clock, logger }: Pick<EngineParts, "running" | "spend" | "mediaProblems" | "clock" | "logger">,
): MediaStage {
  const services = { running, spend, commands: hostCommands, problems: mediaProblems, clock, logger };
  const [transcriber, speaker] = [new Transcriber(services), new Speaker(services)];
  return new MediaStage({ home, files: localFiles, transcriber, speaker, ...withoutUndefined({ imageWorker }), clock, random, logger });
}

function createTyping(
  { clock, random }: EngineOptions,
  {
    store,
    running,
    channels,
    queue,
    dispatcher,
    logger,
  }: Pick<EngineParts, "store" | "running" | "channels" | "queue" | "dispatcher" | "logger">,
): TypingIndicator {
  return new TypingIndicator({
    channelFor: (target) => channels.channelFor(target),
    worksFor: (sessionKey, target) => queue.worksFor(sessionKey, target) || dispatcher.isBusy(target),
    maySend: (target) => dispatcher.mayAlsoSend(target),
    isSuppressed: async (sessionKey, origin) => isSuppressed({ sessionKey, origin }, { store, running }),
    clock,
    random,
    logger,
  });
}
