import { isDeepStrictEqual } from "node:util";
import path from "node:path";
import type { MsgContext } from "@factotum/channel-contract";
import { StoreError, type InputAdmission, type InputRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { ChannelInspector } from "../channels/channel-inspector.ts";
import { CheckpointService } from "../checkpoints/checkpoint-service.ts";
import type { TypedCommand } from "../commands/parse-command.ts";
import { SlashCommands } from "../commands/slash-commands.ts";
import { commandAccess } from "../commands/command-access.ts";
import { isFocusChange } from "../commands/is-focus-change.ts";
import { SessionFocus } from "../focus/session-focus.ts";
import { DeadLetterService } from "../delivery/dead-letter-service.ts";
import { Ingress, type Submission } from "../ingress/ingress.ts";
import { LateMessages } from "../ingress/late-messages.ts";
import { PairingService } from "../ingress/pairing-service.ts";
import type { Route } from "../routing/route.ts";
import { receivedPayload, sentPayload } from "./hook-payloads.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { sessionKind } from "../routing/session-key.ts";
import type { EngineOptions, EngineSettings } from "./engine-options.ts";
import { RefusalNotices } from "../notices/refusal-notices.ts";
import { BackgroundWork } from "./background-work.ts";
import { Upkeep } from "./upkeep.ts";
import type { ScheduleStatus } from "@factotum/protocol";
import { SessionReach } from "../agent-sessions/session-reach.ts";
import { createSchedule, type Schedule } from "../schedule/create-schedule.ts";
import { EngineReports } from "./engine-reports.ts";
import { SubagentTree } from "../subagents/subagent-tree.ts";
import { createSubagentRuntime } from "./subagent-runtime.ts";
import { createEngineParts, type EngineParts } from "./engine-parts.ts";
import { createTurnParts } from "./turn-parts.ts";
import type { SessionWaits } from "../notices/session-waits.ts";
import { SessionTransfer } from "../sessions/session-transfer.ts";
import { SessionTasks } from "../sessions/session-tasks.ts";
import { WorkStopper } from "../sessions/work-stopper.ts";
import { SessionService } from "../sessions/session-service.ts";
import type { InputWatcher } from "../queue/run-report.ts";
import { DROPPED } from "../notices/notices.ts";
import type { UnbegunTurns } from "../turn/unbegun-turns.ts";
import type { BackgroundCompactor } from "../compaction/background-compactor.ts";
import type { TurnRunner } from "../turn/turn-runner.ts";

/** Delay of `connectSoon`. */
const CONNECT_AFTER_MS = 20;

/** Processes messages from acceptance to receipt. Everything that serves clients is built on it. */
export class Engine {
  readonly parts: EngineParts;
  readonly sessions: SessionService;
  /** Capabilities, probes, directories and logins of single accounts. */
  readonly channelInspector: ChannelInspector;
  readonly checkpoints: CheckpointService;
  readonly deadLetters: DeadLetterService;
  readonly transfer: SessionTransfer;
  readonly pairing: PairingService;
  readonly #unbegun: UnbegunTurns;
  readonly #commands: SlashCommands;
  readonly #backgroundCompactor: BackgroundCompactor;
  #connecting: Disposable | undefined;
  #isConnected = false;
  readonly #connected = Promise.withResolvers<void>();
  readonly #ingress: Ingress;
  readonly #waits: SessionWaits;
  readonly #background: BackgroundWork;
  /** Unacknowledged damage of the stored state. */
  readonly damage: EngineOptions["damage"];
  /** Notifications about messages and sessions. */
  readonly reports: EngineReports;
  readonly #drainMs: number;
  readonly #version: string;
  readonly #upkeep: Upkeep;
  readonly #focus: SessionFocus;
  readonly schedule: Schedule;
  /** Sub-agents, as clients see them. */
  readonly subagentTree: SubagentTree;

  constructor(options: EngineOptions) {
    this.#drainMs = options.drainMs;
    this.#version = options.version;
    const parts = createEngineParts(options);
    this.parts = parts;
    this.damage = options.damage;
    this.#background = new BackgroundWork(parts);
    this.reports = new EngineReports(parts, this.#background);
    const { unbegun, runner, waits, backgroundCompactor, compaction } = createTurnParts(parts);
    this.#unbegun = unbegun;
    this.#waits = waits;
    this.#backgroundCompactor = backgroundCompactor;
    const { store, running, channels, notices, queue, events, watchers } = parts;
    const { clock, random, hideSecrets, sessionCommands, subagents, answerOrder } = parts;
    const stopper = new WorkStopper({ store, clock, channels, notices, queue, answerOrder, events, watchers, sessionCommands, subagents });
    const tasks = new SessionTasks({ queue, stopper });
    this.subagentTree = new SubagentTree({ book: subagents.book, store, events, inBackground: (...work) => this.#background.add(...work) });
    const services = { ...parts, home: options.home, stopper, tasks, compaction, waits, subagentTree: this.subagentTree };
    this.sessions = new SessionService({ ...services, flushMemory: runner.flushMemory });
    this.channelInspector = new ChannelInspector({ channels, clock, random });
    this.checkpoints = new CheckpointService({ store, running, ...options.checkpoints });
    const schedule = async (): Promise<ScheduleStatus> => this.schedule.report();
    const inBackground = (label: string, work: Promise<unknown>): void => this.#background.add(label, work);
    this.#focus = new SessionFocus({ ...parts, inBackground, isChange: isFocusChange });
    const queueAs = async (input: InputRecord, text: string): Promise<void> => this.#ingress.queueAs(input, text);
    const given = { focus: this.#focus, sessions: this.sessions, checkpoints: this.checkpoints, schedule, queueAs };
    this.#commands = new SlashCommands({ ...parts, ...given });
    this.#upkeep = new Upkeep(this.parts, {
      checkpoints: this.checkpoints,
      keeps: (key) => this.#isKept(key),
      removeSession: async (key) => this.sessions.deleteIfThere(key),
      inBackground: (label, work) => this.#background.add(label, work),
    });
    this.pairing = new PairingService({ ...parts, owners: options.owners });
    this.#ingress = this.#createIngress();
    this.#listen(runner, options);
    subagents.runWith(createSubagentRuntime({ queue, tasks, intake: this.#ingress, background: this.#background }));
    const reach = new SessionReach(parts);
    this.schedule = createSchedule(parts, {
      ...options,
      maySchedule: async (sessionKey, caller) => reach.maySchedule(sessionKey, caller),
      intake: this.#ingress,
      commands: options.hostCommands,
      stopTurn: async (sessionKey, input) => this.cancelInput(sessionKey, input),
      inBackground: (label, work) => this.#background.add(label, work),
    });
    this.transfer = new SessionTransfer({
      store,
      running,
      sessions: this.sessions,
      events,
      clock,
      random,
      hideSecrets,
      asideFolder: path.join(options.home, "imports"),
      worker: options.importWorker,
    });
    this.deadLetters = new DeadLetterService({
      store,
      clock,
      requeue: async (input) => this.#ingress.recover(input),
      dispatch: (row) => parts.dispatcher.dispatch([row]),
      sessionKeyOf: (input) => parts.policy.routeOf(input).sessionKey,
    });
  }

  /** Connects the events of the parts to the layers above; the only place that does. */
  #listen(runner: TurnRunner, { onLostOwnership }: EngineOptions): void {
    const { channels, queue, notices, dispatcher, spend, storage, waitingCalls, parkedCalls, store, sessionCommands, logger } = this.parts;
    queue.serve({
      process: runner.run,
      onDropped: (sessionKey, input) =>
        this.#background.addFor(input, "drop", async () => notices.drop(sessionKey, input, DROPPED.overflow)),
      onMisplaced: async (input, history) => this.#ingress.requeue(input, history),
      onQueueChange: (sessionKey, queued) => {
        this.#waits.queueChanged(sessionKey, queued);
        waitingCalls.queueChanged(sessionKey);
      },
      onError: (sessionKey, error) => {
        logger.error("A turn could not be finished", { sessionKey, error });
        if (StoreError.isInstance(error) && error.code === "lost-ownership") onLostOwnership();
      },
    });
    channels.deliverTo(this.#ingress);
    sessionCommands.reportTo(this.#ingress);
    parkedCalls.reportTo(this.#ingress);
    this.parts.approvals.onAllowedLate((approval) => this.#background.add("allowed call", parkedCalls.run(approval)));
    dispatcher.events.on("row-settled", (row) => {
      if (row.state.type === "accepted") this.#waits.rowSent(row);
      this.reports.settled(row);
      this.parts.hooks.observe("message_sent", () => sentPayload(row));
    });
    dispatcher.events.on("row-late", (row, blocked) => this.reports.late(row, blocked));
    this.parts.gates.events.on("account-works", (account) => this.reports.accountWorks(account));
    spend.events.on("cause-paused", (pause) => this.reports.paused(this.sessions.mainKey(pause.agentId), pause));
    storage.events.on("space-recovered", () => this.#background.add("copies", store.flushCopies()));
  }

  #createIngress(): Ingress {
    const late = new LateMessages(this.parts);
    const refusals = new RefusalNotices(this.parts);
    const { queue, questions, notices } = this.parts;
    return new Ingress(
      { ...this.parts, waits: this.#waits, focus: this.#focus },
      {
        pair: (sessionKey, input) => this.#background.addFor(input, "pairing", async () => this.pairing.request(sessionKey, input)),
        tooOld: (sessionKey, input) => this.#background.addFor(input, "late message", async () => late.refuse(sessionKey, input)),
        ended: (sessionKey, input) =>
          this.#background.addFor(input, "message to a sub-agent", async () => notices.drop(sessionKey, input, DROPPED.ended)),
        refused: (sessionKey, message) => this.#background.add("refusal notice", refusals.notify(sessionKey, message)),
        messageReceived: (route, input, record) => {
          this.reports.messageReceived(route, input, record);
          this.parts.hooks.observe("message_received", () => receivedPayload(route, input));
        },
        answered: (taken) => this.#background.addFor(taken.input, "answer", async () => questions.record(taken)),
        command: (route, command, input) => {
          queue.endDebounce(route.sessionKey);
          this.#background.addFor(input, "command", async () =>
            this.#focus.during(input.message, this.#runCommand({ route, input }, command)),
          );
        },
      },
    );
  }

  /** Recovers the work of the last process. Resolves when inputs are accepted; `connect` starts the channels. */
  async start(): Promise<void> {
    const { store, channels, dispatcher } = this.parts;
    await channels.prepare();
    await this.reports.recall();
    await this.pairing.recall();
    await this.#ingress.recall();
    await dispatcher.recover();
    await this.parts.subagents.recall();
    await this.#focus.recall();
    const turns = await this.#unbegun.endAllMisplaced(await store.resumeTurns());
    this.parts.queue.resume(turns);
    for (const turn of turns) this.#waits.turnChanged(turn);
    let cursor: string | undefined;
    do {
      const page = await store.listInputs({ state: "waiting", limit: 200, ...withoutUndefined({ cursor }) });
      for (const input of page.items) if (!this.parts.subagents.keep(input)) await this.#ingress.recover(input);
      cursor = page.cursor;
    } while (cursor !== undefined);
    this.parts.storage.open();
    this.#ingress.open();
    await this.parts.sessionCommands.recover();
    await this.parts.parkedCalls.recover();
    await this.parts.subagents.recover();
    await this.schedule.start();
    for (const event of this.damage.list()) if (event.kind === "database") this.reports.recovery(event);
    this.#background.add("media", this.parts.media.store.pruneIfDue());
    this.#upkeep.start();
    this.parts.hooks.observe("gateway_start", () => ({ version: this.#version }));
  }

  /** Resolves once every channel has started or failed for the first time. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** Calls `connect` once those who wait for the start have been answered: it loads the platforms' libraries, some of which take a tenth of a second each. */
  connectSoon(): void {
    this.#connecting = this.parts.clock.schedule(CONNECT_AFTER_MS, () => this.connect());
  }

  /** Starts the channels, which connect in the background; another configuration does so too. Idempotent. */
  connect(): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    // Before the channels, which read the menus as soon as their platform has answered.
    this.#background.add("command menu", this.parts.menu.refresh());
    this.#background.add("channels", this.parts.channels.start().finally(this.#connected.resolve));
  }

  /**
   * Applies another configuration from the next turn on; active turns keep theirs. Accounts whose own settings changed are restarted, others are not affected.
   * All or nothing: if it throws, nothing has changed. Channels continue to connect in the background.
   */
  apply(settings: EngineSettings): void {
    this.connect();
    const { running, channels, cooldowns, logger } = this.parts;
    const before = running.config;
    running.replace(settings);
    if (!isDeepStrictEqual(before.models, settings.config.models)) cooldowns.clear();
    this.#background.add("channels", channels.apply(settings.accounts));
    this.schedule.apply();
    this.#background.add("command menu", this.parts.menu.refresh());
    // Clients show each agent with the model of its next message.
    for (const { config } of running.agents.list()) this.parts.events.sessionChanged(this.sessions.mainKey(config.id));
    logger.debug("Another configuration is in use", { accounts: settings.accounts.length });
  }

  /** Accepts an input of the gateway's own clients. `watcher` receives its events from the first on. */
  async submit(
    message: MsgContext,
    admission: InputAdmission,
    watcher?: InputWatcher,
  ): Promise<Submission & { readonly watch: Disposable }> {
    let watch: Disposable = { [Symbol.dispose]: () => undefined };
    try {
      const submission = await this.#ingress.submit(message, admission, {
        isAwaited: watcher !== undefined,
        onAccepted: (inputId) => {
          if (watcher !== undefined) watch = this.parts.watchers.watch(inputId, watcher);
        },
      });
      return { ...submission, watch };
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Runs work outside of any session when the main lane has a free place. Resolves when it has ended; rejects with its error, or with a `LaneShutdown` if the
   * gateway stops before it has started.
   */
  async runOutsideSessions(work: (options: { readonly signal: AbortSignal }) => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = async (options: { readonly signal: AbortSignal }): Promise<void> => work(options).then(resolve, reject);
    const forget = (): void => reject(new LaneShutdown("the gateway ends"));
    // Lanes are keyed by session: nobody else has this key.
    this.parts.queue.lanes.enqueue(`none:${this.parts.random.uuid()}`, { type: "task", run, forget });
    return promise;
  }

  /** Cancels an input whose client has disconnected: its run, active or prepared, or its position in the queue. */
  async cancelInput(sessionKey: string, input: { readonly inputId: string; readonly reason: string }): Promise<void> {
    const { store, watchers } = this.parts;
    if (this.parts.queue.removeInput(sessionKey, input.inputId)) {
      const said = await store.readInput(input.inputId);
      const state = { type: "told", reason: input.reason } as const;
      if (said !== undefined)
        await this.parts.notices.endInputs(sessionKey, [said], { state, level: "info", text: `Not begun: ${input.reason}.` });
      watchers.settled([input.inputId], input.reason);
    } else if (this.parts.queue.worksOn(sessionKey, input.inputId)) {
      await this.sessions.stopper.stop(sessionKey, { queued: false, reason: input.reason });
    }
  }

  /** The owner's sessions that receive messages from more than one person. */
  get sharedSessions(): readonly string[] {
    return this.reports.sharedSessions;
  }

  /** Number of active turns. */
  get activeTurns(): number {
    return this.parts.queue.lanes.active;
  }

  /** Number of inputs and turns that wait in their session's lane. */
  get waitingJobs(): number {
    return this.parts.queue.lanes.queuedInAll;
  }

  /** Resolves when no turn runs or waits and nothing is left to send or to store. */
  async idle(): Promise<void> {
    for (;;) {
      await this.parts.answerOrder.idle();
      await this.parts.queue.lanes.idle();
      await this.#backgroundCompactor.idle();
      await this.parts.dispatcher.idle();
      await this.#background.idle();
      const isIdle = this.parts.queue.lanes.active === 0 && this.parts.queue.lanes.queuedInAll === 0 && this.#backgroundCompactor.isIdle;
      if (isIdle && this.parts.dispatcher.pending === 0 && this.#background.isIdle) return;
    }
  }

  /** Stops accepting work, drains turns, leaves unfinished ones to the next start, and waits for sends on the wire. The store stays open. */
  async stop(reason: string): Promise<void> {
    this.#upkeep[Symbol.dispose]();
    this.#connecting?.[Symbol.dispose]();
    await this.schedule.stop();
    this.parts.subagents.close();
    this.#focus.close();
    const reported = this.parts.sessionCommands.close();
    this.parts.parkedCalls.close();
    this.#ingress.close();
    this.parts.answerOrder.close();
    this.parts.fileChanges[Symbol.dispose]();
    this.transfer.close(reason);
    // Writers stop waiting for disk space: unwritten work is resumed at the next start.
    this.parts.storage.close();
    // Inputs from here on are committed for the next start; final messages of turns are still sent.
    const ended = this.#backgroundCompactor.close(reason);
    await this.parts.queue.lanes.close(reason, { drainMs: this.#drainMs });
    await ended;
    await reported;
    this.#commands.close(reason);
    this.parts.typing.close();
    this.#waits.close();
    await this.parts.dispatcher.close();
    this.parts.hooks.observe("gateway_stop", () => ({ reason }));
    await this.parts.hooks.close();
    this.channelInspector.close();
    this.parts.menu.close();
    await this.parts.channels.stop();
    await this.#background.idle();
    await this.parts.media.close();
    await this.parts.running.agents.close();
  }

  /** True for sessions that maintenance skips: those in use, those of open sub-agents, and main sessions, which hold the owner's settings. */
  #isKept(sessionKey: string): boolean {
    const { events, queue, running, subagents } = this.parts;
    return (
      subagents.isOpen(sessionKey) ||
      queue.lanes.isBusy(sessionKey) ||
      events.isWatched(sessionKey) ||
      sessionKind(sessionKey, running.config.session.mainKey) === "main"
    );
  }

  async #runCommand({ route, input }: { readonly route: Route; readonly input: InputRecord }, command: TypedCommand): Promise<void> {
    const target = { ...route, input };
    if (commandAccess(command, target, this.parts.running.config) !== "allowed") return this.#commands.refuse(target);
    return command.type === "reset" ? this.#commands.reset(target, command) : this.#commands.run(target, command);
  }
}
