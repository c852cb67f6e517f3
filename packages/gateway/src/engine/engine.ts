import { isDeepStrictEqual } from "node:util";
import path from "node:path";
import type { MsgContext } from "@factotum/channel-contract";
import type { DamageEvent, InputAdmission, InputRecord, OutboxRecord, SessionRecord, StoreDamage } from "@factotum/store";
import { StoreError } from "@factotum/store";
import type { TypedCommand } from "../commands/parse-command.ts";
import { CommandRunner } from "../commands/run-command.ts";
import { commandAccess } from "../commands/command-access.ts";
import type { AccountAddress } from "../delivery/account-gates.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import { DeadLetterService } from "../delivery/dead-letter-service.ts";
import { EXPIRED_REASON } from "../delivery/expired-row.ts";
import { rowIds } from "../kernel/row-ids.ts";
import { Ingress } from "../ingress/ingress.ts";
import { LateMessages } from "../ingress/late-messages.ts";
import type { Submission } from "../ingress/ingress.ts";
import type { Route } from "../routing/route.ts";
import type { QueueSettings } from "../queue/queue-settings.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { TurnQueue } from "../queue/turn-queue.ts";
import { SessionMaintenance } from "../maintenance/session-maintenance.ts";
import { sessionKind } from "../routing/session-key.ts";
import type { EngineOptions, EngineSettings } from "./engine-options.ts";
import { RecoveryNotices } from "../notices/recovery-notices.ts";
import { RefusalNotices } from "../notices/refusal-notices.ts";
import type { FlushMemory } from "../compaction/memory-flush.ts";
import type { InputJob, TurnJob } from "../queue/turn-job.ts";
import { createTurnServices } from "./create-turn-services.ts";
import { tellDamage, tellDelayed, tellPause, tellUndelivered } from "../notices/session-notices.ts";
import { SessionWaits } from "../notices/session-waits.ts";
import { tellExpired } from "../notices/tell-expired.ts";
import { SessionRequestError } from "../kernel/session-request-error.ts";
import { SessionTransfer } from "../sessions/session-transfer.ts";
import { SeparatedGuests } from "../sessions/separated-guests.ts";
import { SharedSessions } from "../sessions/shared-sessions.ts";
import { SessionService } from "../sessions/session-service.ts";
import type { InputWatcher } from "../queue/run-report.ts";
import { DROPPED } from "../notices/notices.ts";
import { endMisplacedTurns } from "../turn/end-misplaced.ts";
import type { CurrentPolicy } from "../conversation/current-authorization.ts";
import { BackgroundCompactor } from "../compaction/background-compactor.ts";
import { TurnRunner } from "../turn/turn-runner.ts";
import type { WaitingInputs } from "../turn/job-preparer.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Runs that no person waits for, at the same time. */
const CRON_CAPACITY = 4;

/** The way of a message, from acceptance to receipt. Everything that answers to clients stands on this. */
export class Engine {
  readonly services: TurnServices;
  readonly sessions: SessionService;
  readonly deadLetters: DeadLetterService;
  readonly transfer: SessionTransfer;
  readonly #shared: SharedSessions;
  readonly #separated: SeparatedGuests;
  readonly #queue: TurnQueue;
  readonly #commands: CommandRunner;
  readonly #room: BackgroundCompactor;
  readonly #ingress: Ingress;
  readonly #waits: SessionWaits;
  readonly #policy: CurrentPolicy = { admits: (input) => this.#ingress.admits(input), routeOf: (input) => this.#ingress.route(input) };
  readonly #background = new Set<Promise<void>>();
  /** Conversations that were told of damage. */
  readonly #damaged = new Set<string>();
  readonly #recoveries: RecoveryNotices;
  /** What of the stored state was damaged and nobody has acknowledged yet. */
  readonly damage: EngineOptions["damage"];
  /** Conversations in which messages ran out of time and nothing was taken since. */
  readonly #expired = new Set<string>();
  readonly #drainMs: number;
  readonly #maintenance: SessionMaintenance;
  #upkeep: Disposable | undefined;

  constructor(options: EngineOptions) {
    const { clock, logger } = options;
    this.#drainMs = options.drainMs;
    this.services = createTurnServices(options, {
      receive: async (message, receiveOptions) => this.#ingress.receive(message, receiveOptions),
      onSettled: (row) => this.#noteSettled(row),
      onLate: (row, blocked) => this.#inBackground("delay notice", tellDelayed(this.services, row, blocked)),
      onAccountWorks: (account) => this.#tellExpired(account),
      worksFor: (sessionKey, target) => this.#queue.worksFor(sessionKey, target),
      onStorageRecovered: () => this.#inBackground("copies", this.services.store.flushCopies()),
      onPause: (agentId, message) => this.#inBackground("pause notice", tellPause(this.services, this.sessions.mainKey(agentId), message)),
    });
    this.#shared = new SharedSessions(this.services);
    this.damage = options.damage;
    this.#recoveries = new RecoveryNotices(this.services);
    this.#separated = new SeparatedGuests(this.services);
    const refusals = new RefusalNotices(this.services);
    const late = new LateMessages(this.services);
    const { running } = this.services;
    const flushMemory: FlushMemory = async (context, options) => runner.flushMemory(context, options);
    const behind = (sessionKey: string, task: TurnJob): void => this.#queue.lanes.enqueue(sessionKey, task);
    this.#room = new BackgroundCompactor(this.services, { behind, flushMemory });
    const waiting: WaitingInputs = {
      steerable: (sessionKey, turn) => this.#queue.steerable(sessionKey, turn),
      take: (sessionKey, job) => this.#queue.take(sessionKey, job),
      requeue: (sessionKey, job) => this.#queue.requeue(sessionKey, job),
      again: (sessionKey, job, delayMs) => this.#queue.again(sessionKey, job, delayMs),
      ...this.#policy,
      placeAgain: async (input, history) => this.#ingress.placeAgain(input, history),
      toolWait: (turn) => this.#waits.turnChanged(turn),
    };
    const runner = new TurnRunner(this.services, waiting, this.#room);
    this.#queue = new TurnQueue({
      clock,
      capacities: () => ({ main: running.config.maxConcurrent, subagent: subagents(running.config), cron: CRON_CAPACITY }),
      onDropped: (sessionKey, input) =>
        this.#inBackgroundFor(input, "drop", async () => this.services.notices.drop(sessionKey, input, DROPPED.overflow)),
      process: async (sessionKey, job, laneOptions) => runner.run(sessionKey, job, laneOptions),
      onQueueChange: (sessionKey, queued) => this.#waits.queueChanged(sessionKey, queued),
      onError: (sessionKey, error) => {
        logger.error("A turn could not be finished", { sessionKey, error });
        if (StoreError.isInstance(error) && error.code === "lost-ownership") options.onLostOwnership();
      },
    });
    this.#waits = new SessionWaits({ ...this.services, queue: this.#queue, toolWait: (sessionKey) => runner.toolWait(sessionKey) });
    this.sessions = new SessionService(this.services, this.#queue, {
      flushMemory,
      waitOf: (sessionKey) => this.#waits.of(sessionKey),
    });
    this.#commands = new CommandRunner({ ...this.services, sessions: this.sessions });
    this.#maintenance = new SessionMaintenance(this.services, {
      keeps: (key) => this.#isKept(key),
      removeSession: async (key) => !this.#isKept(key) && this.sessions.deleteIfThere(key),
      inBackground: (work) => this.#inBackground("session maintenance", work),
    });
    this.#ingress = new Ingress(this.services, {
      isIdle: (sessionKey) => !this.#queue.lanes.isBusy(sessionKey),
      enqueue: (sessionKey, job) => this.#enqueue(sessionKey, job),
      tooOld: (sessionKey, input) => this.#inBackgroundFor(input, "late message", async () => late.refuse(sessionKey, input)),
      refused: (sessionKey, message) => this.#inBackground("refusal notice", refusals.tell(sessionKey, message)),
      spoken: (...said) => this.#noteSpoken(...said),
      command: (route, command, input, queue) => {
        this.#queue.endBreath(route.sessionKey);
        this.#inBackgroundFor(input, "command", async () => this.#runCommand({ route, input, queue }, command));
      },
    });
    this.transfer = new SessionTransfer(this.services, this.sessions, {
      asideFolder: path.join(options.home, "imports"),
      ...(options.importWorker === undefined ? {} : { worker: options.importWorker }),
    });
    this.deadLetters = new DeadLetterService({
      store: this.services.store,
      clock: options.clock,
      place: async (input) => this.#ingress.recover(input),
      dispatch: (row) => this.services.dispatcher.dispatch([row]),
      sessionKeyOf: (input) => this.#ingress.route(input).sessionKey,
    });
  }

  /** Takes up what the last process left, then connects the channels. Resolves when inputs are taken; channels go on connecting by themselves. */
  async start(): Promise<void> {
    const { store, channels, dispatcher } = this.services;
    await channels.prepare();
    await this.#shared.recall();
    await dispatcher.recover();
    const turns = await endMisplacedTurns(await store.resumeTurns(), this.#policy, this.services);
    this.#queue.resume(turns);
    for (const turn of turns) this.#waits.turnChanged(turn);
    let cursor: string | undefined;
    do {
      const page = await store.listInputs({ state: "waiting", limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      for (const input of page.items) await this.#ingress.recover(input);
      cursor = page.cursor;
    } while (cursor !== undefined);
    this.services.storage.open();
    this.#ingress.open();
    this.#inBackground("channels", channels.start());
    for (const event of this.damage.list()) if (event.kind === "database") this.reportRecovery(event);
    this.#inBackground("media", this.services.media.store.pruneIfDue());
    this.#scheduleUpkeep();
    this.#maintenance.start();
  }

  /**
   * Goes on with another configuration from the next turn on; turns at work end with the one that they began with. Accounts whose own rows have changed
   * are stopped and started, the others notice nothing. Whole or, when it throws, not at all; channels go on connecting by themselves.
   */
  apply(settings: EngineSettings): void {
    const { running, channels, cooldowns, logger } = this.services;
    const before = running.config;
    running.replace(settings);
    if (!isDeepStrictEqual(before.models, settings.config.models)) cooldowns.clear();
    this.#inBackground("channels", channels.apply(settings.accounts));
    logger.debug("Another configuration is in use", { accounts: settings.accounts.length });
  }

  /** Takes an input of the gateway's own clients. `watcher` is told everything from the first event on. */
  async submit(
    message: MsgContext,
    admission: InputAdmission,
    watcher?: InputWatcher,
  ): Promise<Submission & { readonly watch: Disposable }> {
    let watch: Disposable = { [Symbol.dispose]: () => undefined };
    try {
      const submission = await this.#ingress.submit(message, admission, {
        waits: watcher !== undefined,
        onAccepted: (inputId) => {
          if (watcher !== undefined) watch = this.services.watchers.watch(inputId, watcher);
        },
      });
      return { ...submission, watch };
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Does work that belongs to no session once there is a place for it among people's turns. Resolves when it has ended; rejects when it does, and with a
   * `LaneShutdown` when the gateway ends before it was begun.
   */
  async runOutsideSessions(work: (options: { readonly signal: AbortSignal }) => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const run = async (options: { readonly signal: AbortSignal }): Promise<void> => work(options).then(resolve, reject);
    const forget = (): void => reject(new LaneShutdown("the gateway ends"));
    // A lane's place is a session's: nobody else has this name.
    this.#queue.lanes.enqueue(`none:${this.services.random.uuid()}`, { type: "task", run, forget });
    return promise;
  }

  /** Ends what is done for one input because whoever asked has gone: its run, be it at work or prepared, or its place in the queue. */
  async cancelInput(sessionKey: string, input: { readonly inputId: string; readonly reason: string }): Promise<void> {
    const { store, watchers } = this.services;
    if (this.#queue.removeInput(sessionKey, input.inputId)) {
      const said = await store.readInput(input.inputId);
      const state = { type: "told", reason: input.reason } as const;
      if (said !== undefined)
        await this.services.notices.endInputs(sessionKey, [said], { state, level: "info", text: `Not begun: ${input.reason}.` });
      watchers.settled([input.inputId], input.reason);
    } else if (this.#queue.worksOn(sessionKey, input.inputId)) {
      await this.sessions.abort(sessionKey, { queued: false, reason: input.reason });
    }
  }

  /**
   * A stored row is not what was written: its conversation is told, once while this process runs, and of every message that is not sent for it. Of one
   * that is in delivery, delivery tells: it knows what became of it. Prompts are made anew and kept requests are for looking at: of those nobody is
   * told. Never throws.
   */
  reportDamage(damage: StoreDamage): void {
    const { sessionKey = "", type } = damage;
    if (type === "prompt" || type === "request") return;
    if (type === "outbound" ? this.services.dispatcher.holds(damage.id) : this.#damaged.has(sessionKey)) return;
    if (type !== "outbound") this.#damaged.add(sessionKey);
    this.#inBackground("damage notice", tellDamage(this.services, damage));
  }

  /** Says on every channel that the database was restored, once, however often it is reported. Never throws. */
  reportRecovery(event: DamageEvent): void {
    this.#inBackground("recovery notice", this.#recoveries.notify(event));
  }

  /** The owner's sessions into which messages of more than one person come. */
  get sharedSessions(): readonly string[] {
    return this.#shared.keys;
  }

  /** Turns that run now. */
  get running(): number {
    return this.#queue.lanes.active;
  }

  /** Inputs and turns that wait for their session's lane. */
  get waiting(): number {
    return this.#queue.lanes.queuedInAll;
  }

  /** Resolves when no turn runs or waits and nothing is left to send or to note. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#queue.lanes.idle();
      await this.#room.idle();
      await this.services.dispatcher.idle();
      await Promise.all(this.#background);
      const isIdle = this.#queue.lanes.active === 0 && this.#queue.lanes.queuedInAll === 0 && this.#room.isIdle;
      if (isIdle && this.services.dispatcher.pending === 0 && this.#background.size === 0) return;
    }
  }

  /** Stops taking work, gives turns the time to end, leaves those that do not to the next start, and lets sends that are on the wire come back. The store stays open. */
  async stop(reason: string): Promise<void> {
    this.#upkeep?.[Symbol.dispose]();
    this.#ingress.close();
    this.transfer.close(reason);
    // Who waits for space waits no longer: what is not written is taken up at the next start.
    this.services.storage.close();
    this.#maintenance[Symbol.dispose]();
    // What comes in from here on is committed and waits for the next start; what turns still have to say goes out.
    const ended = this.#room.close(reason);
    await this.#queue.lanes.close(reason, { drainMs: this.#drainMs });
    await ended;
    this.services.typing.close();
    this.#waits.close();
    await this.services.dispatcher.close();
    await this.services.channels.stop();
    await Promise.all(this.#background);
    await this.services.media.close();
    await this.services.running.agents.close();
  }

  /** Work on the store that nobody waits for: every minute sessions whose time is over, every hour rows that are old enough to forget. */
  #scheduleUpkeep(minute = 0): void {
    this.#upkeep = this.services.clock.schedule(60_000, () => {
      this.#scheduleUpkeep(minute + 1);
      this.#inBackground("reserve", this.services.storage.keepReserve());
      // What removes rows writes too.
      if (this.services.storage.problem !== undefined) return;
      this.#inBackground("expiry", this.#expire());
      this.#inBackground("media", this.services.media.store.pruneIfDue());
      if (minute % 60 === 0) this.#inBackground("maintenance", this.#maintain());
    });
  }

  /** Sessions that maintenance leaves alone: those in use, and the main ones, which hold what was chosen for them. */
  #isKept(sessionKey: string): boolean {
    const { events } = this.services;
    const { config } = this.services.running;
    return (
      this.#queue.lanes.isBusy(sessionKey) || events.isWatched(sessionKey) || sessionKind(sessionKey, config.session.mainKey) === "main"
    );
  }

  /** Gives a job its place, and shows its sender that the message was taken, or that it waits. */
  #enqueue(sessionKey: string, job: InputJob): void {
    this.#queue.add(sessionKey, job);
    if (isExpected(job.input)) this.services.typing.begin(sessionKey, job.input.message.origin);
    this.#waits.messageCame(sessionKey, job.input);
  }

  async #maintain(): Promise<void> {
    for (let more = true; more;) more = await this.services.store.maintain({ nowMs: this.services.steadyNow() });
  }

  async #expire(): Promise<void> {
    for (const session of await this.services.store.listExpiredSessions(this.services.steadyNow(), 100))
      await this.sessions.deleteIfThere(session.key);
  }

  #noteSpoken(route: Route, input: InputRecord, record: SessionRecord | undefined): void {
    this.#inBackground("sharing notice", this.#shared.note(route.sessionKey, input, record));
    this.#inBackground("separation notice", this.#separated.note(route, input));
    this.#inBackground("recovery notice", this.#recoveries.spoken(route.sessionKey, input.message.origin));
  }

  /** Work that nobody waits for: its failure is logged here, once. */
  #inBackground(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => {
        // The gateway ends: what was not done is durable, and done after the next start.
        if (error instanceof LaneShutdown || (StoreError.isInstance(error) && error.code === "closed")) return;
        this.services.logger.error("Background work failed", { what, error });
      },
    );
    this.#background.add(done);
    void done.finally(() => this.#background.delete(done));
  }

  /** The same for what an input gets in place of a turn: what is logged meanwhile names it. */
  #inBackgroundFor(input: InputRecord, what: string, work: () => Promise<void>): void {
    this.services.turnContext.run({ inputIds: [input.id] }, () => this.#inBackground(what, work()));
  }

  #tellExpired(account: AccountAddress): void {
    this.#inBackground("expiry notice", tellExpired(account, this.services));
  }

  #noteSettled(row: OutboxRecord): void {
    if (row.state.type === "accepted") this.#waits.rowSent(row);
    const { dispatcher, gates } = this.services;
    const key = conversationKey(row.target);
    if (row.state.type === "accepted" && this.#expired.delete(key)) this.#tellExpired(row.target);
    if (row.state.type === "dead" && row.state.reason === EXPIRED_REASON) {
      // While its account or what stands behind it cannot leave either, the next message that is taken there brings the notice.
      if (gates.isWorking(row.target) && dispatcher.waitingFor(row.target) === 0) this.#tellExpired(row.target);
      else this.#expired.add(key);
    }
    if (row.state.type !== "dead" && row.state.type !== "ambiguous") return;
    const { logger } = this.services;
    logger.error("A message could not be delivered", {
      ...rowIds(row),
      sessionKey: row.sessionKey,
      state: row.state.type,
      reason: row.state.reason,
    });
    this.#inBackground("undelivered notice", tellUndelivered(this.services, row));
  }

  async #runCommand(
    { route, input, queue }: { readonly route: Route; readonly input: InputRecord; readonly queue: QueueSettings },
    command: TypedCommand,
  ): Promise<void> {
    const target = { ...route, input };
    if (commandAccess(command, target, this.services.running.config) !== "allowed") return this.#commands.refuse(target);
    if (command.type !== "reset") return this.#commands.run(target, command);
    // The new conversation begins with a greeting, before anything that is said later.
    const greeting = { type: "input", input, agentId: route.agentId, overheard: [], isReset: true, queue } as const;
    const greet = (): void => this.#queue.lanes.prepend(route.sessionKey, greeting);
    if (command.model !== undefined) return this.#commands.resetWithModel(target, command.model, greet);
    const reset = this.#commands.reset(target);
    this.#queue.lanes.enqueue(route.sessionKey, greeting);
    try {
      await reset;
    } catch (error) {
      // A conversation that has not begun is as new as it can be.
      if (!(error instanceof SessionRequestError) || error.code !== "not-found") throw error;
    }
  }
}

function subagents({ agents, defaultAgentId }: EngineSettings["config"]): number {
  return agents.find(({ id }) => id === defaultAgentId)?.subagents.maxConcurrent ?? 8;
}

/** Its sender expects an answer: a message of a group that names nobody may come to nothing. */
function isExpected({ message, admission }: InputRecord): boolean {
  return RUN_POLICY[admission.kind].isFromPerson && (message.origin.conversation.kind === "direct" || message.mentionsBot);
}
