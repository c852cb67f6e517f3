import type { AgentTool, Clock, Logger, Random, SkillIndex } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { InputAdmission, OutboxRecord, Store } from "@factotum/store";
import { Cooldowns } from "@factotum/models";
import { StoreError } from "@factotum/store";
import { createToolGate } from "./access/tool-gate.ts";
import { AgentDirectory } from "./agents/agent-directory.ts";
import type { ModelSource } from "./agents/model-source.ts";
import { ChannelRegistry } from "./channels/channel-registry.ts";
import type { ChannelAccount } from "./channels/channel-registry.ts";
import { runCommand } from "./commands/run-command.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import { SessionEvents } from "./events/session-events.ts";
import { Ingress } from "./ingress/ingress.ts";
import type { Submission } from "./ingress/ingress.ts";
import { SessionLanes } from "./lanes/session-lanes.ts";
import type { LocalFiles } from "./media/local-files.ts";
import { MediaStage } from "./media/media-stage.ts";
import { SessionService } from "./sessions/session-service.ts";
import { SpendGuard } from "./spend/spend-guard.ts";
import { publishEntry } from "./turn/publish-entry.ts";
import { Compactor } from "./turn/compact-session.ts";
import { InputWatchers } from "./turn/run-report.ts";
import type { InputWatcher } from "./turn/run-report.ts";
import { SessionCache } from "./turn/session-cache.ts";
import type { TurnJob } from "./turn/turn-job.ts";
import { TurnRunner } from "./turn/turn-runner.ts";
import type { TurnServices } from "./turn/turn-services.ts";

/** What the engine is made of. */
export interface EngineOptions {
  readonly config: FactotumConfig;
  /** The state directory. */
  readonly home: string;
  readonly store: Store;
  readonly models: ModelSource;
  /** Makes the tools; `messenger` delivers for the `message` tool. */
  readonly tools: readonly AgentTool[];
  readonly skills: SkillIndex;
  readonly skillFolders: readonly string[];
  readonly accounts: readonly ChannelAccount[];
  /** Reads what the owner names by its path. */
  readonly localFiles: LocalFiles;
  /** The program of the image decoder's thread, when the product was bundled. */
  readonly imageWorker?: URL;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly hideSecrets: (text: string) => string;
  /** Another process has taken over the state directory: nothing can be written any more. */
  readonly onLostOwnership: () => void;
  readonly ownerDisplaySecret: string | undefined;
  readonly commands: PromptFacts["commands"];
  readonly documentation: PromptFacts["documentation"];
}

/** The way of a message, from acceptance to receipt. Everything that answers to clients stands on this. */
export class Engine {
  readonly services: TurnServices;
  readonly sessions: SessionService;
  readonly #lanes: SessionLanes<TurnJob>;
  readonly #ingress: Ingress;
  readonly #background = new Set<Promise<void>>();
  #upkeep: Disposable | undefined;

  constructor(options: EngineOptions) {
    const { config, store, clock, random, logger } = options;
    const channels = new ChannelRegistry({
      accounts: options.accounts,
      receive: async (message, receiveOptions) => this.#ingress.receive(message, receiveOptions),
      readCursor: async (channel, accountId) => store.readCursor(channel, accountId),
      clock,
      random,
      logger,
      fetch: options.fetch,
    });
    const events = new SessionEvents();
    const dispatcher = new Dispatcher({
      store,
      channelFor: (target) => channels.channelFor(target),
      clock,
      random,
      logger,
      onSettled: (row) => this.#noteSettled(row),
    });
    const cache = new SessionCache({ maxSessions: 256, maxChars: 16 * 1024 * 1024 });
    const spend = new SpendGuard({
      config: config.spend,
      store,
      clock,
      logger,
      dayOf: (agentId, nowMs) => this.#localDay(agentId, nowMs),
      onPause: (cause, message) => this.#inBackground("pause notice", this.#tellPause(cause.agentId, message)),
    });
    this.services = {
      config,
      store,
      models: options.models,
      agents: new AgentDirectory({
        config,
        home: options.home,
        models: options.models,
        tools: options.tools,
        skills: options.skills,
        skillFolders: options.skillFolders,
        logger,
      }),
      channels,
      dispatcher,
      events,
      media: new MediaStage({
        home: options.home,
        files: options.localFiles,
        ...(options.imageWorker === undefined ? {} : { imageWorker: options.imageWorker }),
        clock,
        random,
        logger,
      }),
      watchers: new InputWatchers(),
      cache,
      toolGate: createToolGate(),
      cooldowns: new Cooldowns(),
      spend,
      compactor: new Compactor({ store, models: options.models, spend, clock, events, cache, logger }),
      clock,
      random,
      logger,
      hideSecrets: options.hideSecrets,
      ownerDisplaySecret: options.ownerDisplaySecret,
      commands: options.commands,
      documentation: options.documentation,
    };
    const runner = new TurnRunner(this.services);
    this.#lanes = new SessionLanes<TurnJob>({
      capacity: config.maxConcurrent,
      process: async (sessionKey, job, laneOptions) => runner.run(sessionKey, job, laneOptions),
      onQueueChange: (sessionKey, queued) => events.publish(sessionKey, { type: "queue-change", queued }),
      onError: (sessionKey, error) => {
        logger.error("A turn could not be finished and is taken up at the next start", { sessionKey, error });
        if (StoreError.isInstance(error) && error.code === "lost-ownership") options.onLostOwnership();
      },
    });
    this.sessions = new SessionService(this.services, this.#lanes);
    this.#ingress = new Ingress(this.services, {
      enqueue: (sessionKey, job) => this.#lanes.enqueue(sessionKey, job),
      command: (sessionKey, command, input) =>
        this.#inBackground("command", runCommand(this.services, this.sessions, sessionKey, command, input)),
    });
  }

  /** Takes up what the last process left, then connects the channels. Resolves when inputs are taken; channels go on connecting by themselves. */
  async start(): Promise<void> {
    const { store, channels, dispatcher } = this.services;
    await channels.prepare();
    await dispatcher.recover();
    for (const turn of await store.resumeTurns()) this.#lanes.enqueue(turn.sessionKey, { type: "resume", turn });
    let cursor: string | undefined;
    do {
      const page = await store.listInputs({ state: "waiting", limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      for (const input of page.items) this.#ingress.place(input);
      cursor = page.cursor;
    } while (cursor !== undefined);
    this.#inBackground("channels", channels.start());
    this.#inBackground("media", this.services.media.store.pruneIfDue());
    this.#scheduleUpkeep();
  }

  /** Takes an input of the gateway's own clients. `watcher` is told everything from the first event on. */
  async submit(
    message: MsgContext,
    admission: InputAdmission,
    watcher?: InputWatcher,
  ): Promise<Submission & { readonly watch: Disposable }> {
    let watch: Disposable = { [Symbol.dispose]: () => undefined };
    const submission = await this.#ingress.submit(message, admission, {
      onAccepted: (inputId) => {
        if (watcher !== undefined) watch = this.services.watchers.watch(inputId, watcher);
      },
    });
    return { ...submission, watch };
  }

  /** Ends what is done for one input because whoever asked has gone: its run, or its place in the queue. */
  async cancelInput(
    sessionKey: string,
    input: { readonly inputId: string; readonly runId: string | undefined; readonly reason: string },
  ): Promise<void> {
    const { store, watchers, events } = this.services;
    const waiting = this.#lanes.remove(sessionKey, (job) => job.type === "input" && job.input.id === input.inputId);
    if (waiting !== undefined) {
      await store.settleInputs([input.inputId], { type: "told", reason: input.reason });
      watchers.settled([input.inputId], input.reason);
    } else if (input.runId !== undefined && events.live(sessionKey)?.runId === input.runId) {
      await this.sessions.abort(sessionKey, { runId: input.runId, queued: false, reason: input.reason });
    }
  }

  /** Turns that run now. */
  get running(): number {
    return this.#lanes.active;
  }

  /** Resolves when no turn runs or waits and nothing is left to send or to note. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#lanes.idle();
      await this.services.dispatcher.idle();
      await Promise.all(this.#background);
      if (this.#lanes.active === 0 && this.services.dispatcher.pending === 0 && this.#background.size === 0) return;
    }
  }

  /** Stops taking work, leaves unfinished turns to the next start, and lets sends that are on the wire come back. The store stays open. */
  async stop(reason: string): Promise<void> {
    this.#upkeep?.[Symbol.dispose]();
    await this.services.channels.stop();
    await this.#lanes.close(reason);
    await this.services.dispatcher.close();
    await Promise.all(this.#background);
    await this.services.media.close();
    await this.services.agents.close();
  }

  /** Work on the store that nobody waits for: every minute sessions whose time is over, every hour rows that are old enough to forget. */
  #scheduleUpkeep(minute = 0): void {
    this.#upkeep = this.services.clock.schedule(60_000, () => {
      this.#inBackground("expiry", this.#expire());
      this.#inBackground("media", this.services.media.store.pruneIfDue());
      if (minute % 60 === 0) this.#inBackground("maintenance", this.#maintain());
      this.#scheduleUpkeep(minute + 1);
    });
  }

  async #maintain(): Promise<void> {
    for (let more = true; more;) more = await this.services.store.maintain({ nowMs: this.services.clock.now() });
  }

  async #expire(): Promise<void> {
    for (const session of await this.services.store.listExpiredSessions(this.services.clock.now(), 100))
      await this.sessions.delete(session.key);
  }

  /** Work that nobody waits for: its failure is logged here, once. */
  #inBackground(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => {
        if (StoreError.isInstance(error) && error.code === "closed") return;
        this.services.logger.error("Background work failed", { what, error });
      },
    );
    this.#background.add(done);
    void done.finally(() => this.#background.delete(done));
  }

  #noteSettled(row: OutboxRecord): void {
    if (row.state.type !== "dead" && row.state.type !== "ambiguous") return;
    const { logger } = this.services;
    logger.error("A message could not be delivered", {
      outboxId: row.id,
      sessionKey: row.sessionKey,
      state: row.state.type,
      reason: row.state.reason,
    });
    this.#inBackground("undelivered notice", this.#tellUndelivered(row));
  }

  #localDay(agentId: string, nowMs: number): string {
    const zone = this.services.agents.get(agentId)?.config.userTimezone ?? "UTC";
    return new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(nowMs);
  }

  /** The owner reads it in the agent's main session. */
  async #tellPause(agentId: string, message: string): Promise<void> {
    const { store, clock, logger } = this.services;
    logger.warn("Unattended work pauses", { agentId, detail: message });
    const sessionKey = this.sessions.mainKey(agentId);
    const session = await store.readSession(sessionKey);
    if (session === undefined) return;
    const entry = await store.appendEntry(
      session.sessionId,
      { type: "notice", level: "warning", text: message },
      { timestampMs: clock.now() },
    );
    publishEntry(this.services, sessionKey, entry, undefined);
  }

  /** Leaves a note in the conversation, where the owner sees it: the channel itself is what failed. */
  async #tellUndelivered(row: OutboxRecord): Promise<void> {
    const { store, clock, events } = this.services;
    const session = await store.readSession(row.sessionKey);
    if (session === undefined) return;
    const what = row.state.type === "ambiguous" ? "It is not known whether a message reached" : "A message could not be delivered to";
    const reason = "reason" in row.state ? row.state.reason : "";
    const entry = await store.appendEntry(
      session.sessionId,
      { type: "notice", level: "error", text: `${what} ${row.target.channel}: ${reason}` },
      { timestampMs: clock.now() },
    );
    events.publish(row.sessionKey, {
      type: "entry",
      entry: {
        type: "notice",
        id: entry.id,
        timestampMs: entry.timestampMs,
        level: "error",
        text: `${what} ${row.target.channel}: ${reason}`,
      },
    });
  }
}
