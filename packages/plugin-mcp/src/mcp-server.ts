import { commandSandbox } from "@factotum/agent-contract";
import type { AgentTool, AgentToolResult, SourcePrompt, ToolCall, ToolOptions } from "@factotum/agent-contract";
import { createMcpPrompt } from "./create-prompt.ts";
import { createMcpTool } from "./create-tool.ts";
import { ListChanges } from "./list-changes.ts";
import type { ListStore, StoredList } from "./list-store.ts";
import { NeedsLoginError } from "./oauth/login-error.ts";
import type { ServerLogins } from "./oauth/server-logins.ts";
import { describe, type Verdict } from "./open-client.ts";
import { parsePrompts, type ListedPrompt } from "./parse-prompts.ts";
import { parseTools, type ListedTool, type ToolList } from "./parse-tools.ts";
import type { McpOptions, McpPlace } from "./ports.ts";
import { SETTINGS_CHANGED, renderCallOutcome, renderPromptOutcome, type Outcome } from "./render-outcome.ts";
import { RESOURCE_TOOLS } from "./resource-tools.ts";
import { RunningServer, type CallOutcome } from "./running-server.ts";
import { fingerprintOf, isLocal, type ServerSettings } from "./server-settings.ts";
import { promptNames, toolNames } from "./tool-names.ts";

const IDLE_MS = 10 * 60_000;
const FIRST_LIST_MS = 15_000;
/** Pauses after failed starts. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;
/** A server that ends this soon has failed to start. */
const STEADY_MS = 10_000;
const MAX_REPORTED = 100;

type Started = { readonly type: "running"; readonly server: RunningServer } | { readonly type: "down"; readonly message: string };

interface Kept {
  readonly started: Promise<Started>;
  idle: Disposable | undefined;
}

interface McpServerOptions extends McpOptions {
  readonly store: ListStore;
  readonly serverLogins: ServerLogins;
}

/** One configured server: its tools, and its processes or connections, one for each place that uses it. */
export class McpServer {
  readonly name: string;
  /** Fingerprint of its settings; they hold no secrets but literal ones. */
  readonly fingerprint: string;
  readonly #settings: ServerSettings;
  readonly #options: McpServerOptions;
  readonly #store: ListStore;
  readonly #running = new Map<string, Kept>();
  readonly #ends = new Set<Promise<void>>();
  readonly #leaving = new AbortController();
  #verdict: Verdict | undefined;
  /** The list as it was last parsed, to tell a change. */
  #listed = "";
  /** Names of the tools that were logged as off. */
  readonly #reported = new Set<string>();
  #tools: readonly AgentTool[] = [];
  #prompts: readonly SourcePrompt[] = [];
  #isListed = false;
  #problem: string | undefined;
  #wantsLogin = false;
  /** It is still starting, and no further session waits for it. */
  #isSlow = false;
  #failures = 0;
  #notBeforeMs = 0;
  readonly #listChanges: ListChanges;

  constructor(name: string, settings: ServerSettings, options: McpServerOptions) {
    this.name = name;
    this.#settings = settings;
    this.#options = options;
    this.#store = options.store;
    this.#listChanges = new ListChanges(options.clock, async (key) => this.#listAgain(key));
    this.fingerprint = fingerprintOf(settings);
    const stored = this.#store.read(name, this.fingerprint);
    if (stored === undefined) return;
    this.#verdict = stored.verdict;
    this.#useList(stored);
  }

  /** Replaced when the list changes. */
  get tools(): readonly AgentTool[] {
    return this.#tools;
  }

  /** Replaced when the list changes. */
  get prompts(): readonly SourcePrompt[] {
    return this.#prompts;
  }

  /** Why it cannot be used, for the owner; `undefined` while nothing is wrong. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** A login may be there now. */
  forgetLogin(): void {
    if (this.#wantsLogin) this.#settle();
  }

  /** Resolves when the list is known, or soon if it cannot be. A server that failed a moment ago is not waited for. Never rejects. */
  async prepare(place: McpPlace, signal: AbortSignal): Promise<void> {
    const { clock, firstListMs = FIRST_LIST_MS } = this.#options;
    if (this.#isListed || this.#isSlow || clock.monotonic() < this.#notBeforeMs || this.#leaving.signal.aborted) return;
    const over = Promise.withResolvers<void>();
    using _timer = clock.schedule(firstListMs, over.resolve);
    signal.addEventListener("abort", () => over.resolve(), { once: true });
    await Promise.race([this.#use(place), over.promise]);
    if (this.#isListed || this.#problem !== undefined) return;
    this.#isSlow = true;
    this.#problem = "it has not started in time";
  }

  /** Ends what runs of it, and starts it for a place at once. Resolves with why it cannot be used; `undefined` if it can. Never rejects. */
  async reconnect(place: McpPlace): Promise<string | undefined> {
    await Promise.all([...this.#running.keys()].map(async (key) => this.#end(key)));
    this.#settle();
    const started = await this.#use(place);
    return started.type === "down" ? started.message : undefined;
  }

  /** Runs a call, and starts the server first if necessary. */
  async call(tool: ListedTool, { id, arguments: given }: ToolCall, { run, signal, onDelta }: ToolOptions): Promise<AgentToolResult> {
    const options = { callId: id, run, signal, onProgress: onDelta };
    const outcome = await this.#attempt(run, async (server) => server.call(tool, given, options));
    return renderCallOutcome(outcome, { server: this.name, problem: this.#problem });
  }

  /** Gets a prompt, and starts the server first if necessary. */
  async getPrompt(
    { name }: ListedPrompt,
    given: Readonly<Record<string, string>>,
    { run, signal }: Pick<ToolOptions, "run" | "signal">,
  ): Promise<AgentToolResult> {
    const options = { callId: `prompt:${name}`, run, signal, onProgress: () => undefined };
    const outcome = await this.#attempt(run, async (server) => server.getPrompt(name, given, options));
    return renderPromptOutcome(outcome, { server: this.name, problem: this.#problem });
  }

  /** Has the server of a place do something; a second time if it has forgotten its session. Never rejects. */
  async #attempt(place: McpPlace, work: (server: RunningServer) => Promise<CallOutcome>): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      const started = await this.#use(place);
      if (started.type === "down") return started;
      const outcome = await work(started.server);
      this.#rest(keyOf(place, this.#settings));
      if (outcome.type === "result") this.#settle();
      // It was stopped by us, and has not failed.
      else if (this.#leaving.signal.aborted) return { type: "stopped" };
      if (outcome.type !== "lost" && outcome.type !== "refused") return outcome;
      await this.#drop(keyOf(place, this.#settings), started.server);
      if (outcome.type === "refused") {
        this.#recordFailure(outcome.error);
        return outcome;
      }
      if (outcome.wasUnknown && attempt === 1) continue;
      this.#recordFailure(new Error(outcome.message));
      return { ...outcome, message: this.#options.hideSecrets(outcome.message) };
    }
  }

  /** Stops all of it for good. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    this.#leaving.abort();
    this.#listChanges[Symbol.dispose]();
    for (const key of this.#running.keys()) void this.#end(key);
    await Promise.all(this.#ends);
  }

  /** Uses the running one of a place, or starts it. */
  async #use(place: McpPlace): Promise<Started> {
    const key = keyOf(place, this.#settings);
    const known = this.#running.get(key);
    if (known !== undefined) {
      this.#rest(key);
      const started = await known.started;
      if (started.type === "running" && !started.server.isOver) return started;
      if (this.#running.get(key) === known) this.#running.delete(key);
      else return this.#use(place);
    }
    if (this.#leaving.signal.aborted) return { type: "down", message: SETTINGS_CHANGED };
    const waitMs = this.#notBeforeMs - this.#options.clock.monotonic();
    if (waitMs > 0)
      return { type: "down", message: `${this.#problem ?? "it failed"}; it is tried again in ${Math.ceil(waitMs / 1_000)} s` };
    const isKept = (): boolean => this.#running.get(key) === starting;
    const starting: Kept = { started: this.#start({ key, isKept }, place), idle: undefined };
    this.#running.set(key, starting);
    this.#rest(key);
    return starting.started;
  }

  async #start(
    entry: { readonly key: string; readonly isKept: () => boolean },
    { agentId, workspace, sandbox }: McpPlace,
  ): Promise<Started> {
    const { clock, logger } = this.#options;
    const startedMs = clock.monotonic();
    try {
      const server = await RunningServer.start(this.#settings, this.#verdict, {
        ...this.#options,
        questioner: this.#options.questioner,
        sampler: this.#options.sampler,
        server: this.name,
        place: { agentId, workspace, ...(sandbox === undefined ? {} : { sandbox }) },
        onListChanged: () => this.#listChanges.report(entry.key),
        signal: this.#leaving.signal,
      });
      void server.ended.then((why) => this.#ended(entry, { why, afterMs: clock.monotonic() - startedMs, wasStopped: server.isStopped }));
      try {
        await this.#readList(server);
      } catch (error) {
        await server.stop();
        throw error;
      }
      this.#settle();
      logger.info("An MCP server has started", { server: this.name, agentId, tools: this.#tools.length });
      return { type: "running", server };
    } catch (error) {
      if (this.#leaving.signal.aborted) return { type: "down", message: "it was stopped" };
      this.#recordFailure(error);
      return { type: "down", message: this.#problem ?? "it failed" };
    }
  }

  #ended(
    { key, isKept }: { readonly key: string; readonly isKept: () => boolean },
    { why, afterMs, wasStopped }: { readonly why: string; readonly afterMs: number; readonly wasStopped: boolean },
  ): void {
    if (wasStopped || this.#leaving.signal.aborted) return;
    // A call may have started another one meanwhile.
    if (isKept()) {
      this.#running.get(key)?.idle?.[Symbol.dispose]();
      this.#running.delete(key);
    }
    if (afterMs < STEADY_MS) this.#recordFailure(new Error(why));
    else this.#options.logger.warn("An MCP server has ended; the next call starts it again", { server: this.name, reason: why });
  }

  /** Stops the one of a place when nothing has used it for a while. */
  #rest(key: string): void {
    const { clock, idleMs = IDLE_MS } = this.#options;
    const kept = this.#running.get(key);
    if (kept === undefined) return;
    kept.idle?.[Symbol.dispose]();
    kept.idle = clock.schedule(idleMs, () => void this.#endIdle(key));
  }

  async #endIdle(key: string): Promise<void> {
    const kept = this.#running.get(key);
    const waited = kept?.idle;
    const started = await kept?.started;
    // A call has come at the same moment.
    if (kept?.idle !== waited) return;
    if (started?.type === "running" && started.server.isBusy) this.#rest(key);
    else await this.#end(key);
  }

  async #drop(key: string, server: RunningServer): Promise<void> {
    const started = await this.#running.get(key)?.started;
    if (started?.type === "running" && started.server === server) await this.#end(key);
  }

  async #end(key: string): Promise<void> {
    const kept = this.#running.get(key);
    if (kept === undefined) return;
    this.#running.delete(key);
    kept.idle?.[Symbol.dispose]();
    const ending = kept.started.then(async (started) => (started.type === "running" ? started.server.stop() : undefined));
    this.#ends.add(ending);
    try {
      await ending;
    } finally {
      this.#ends.delete(ending);
    }
  }

  async #listAgain(key: string): Promise<void> {
    const started = await this.#running.get(key)?.started;
    if (started?.type !== "running") return;
    try {
      await this.#readList(started.server);
    } catch (error) {
      this.#options.logger.warn("The changed list of an MCP server could not be read", { server: this.name, error });
    }
  }

  async #readList(server: RunningServer): Promise<void> {
    const [tools, prompts] = await Promise.all([server.listTools(), this.#listPrompts(server)]);
    this.#verdict = server.verdict;
    const { verdict, hasResources } = server;
    if (!this.#useList({ tools, prompts, hasResources })) return;
    try {
      await this.#store.write(this.name, this.fingerprint, { verdict, tools, prompts, hasResources });
    } catch (error) {
      this.#options.logger.warn("The tools of an MCP server could not be remembered; a start of the gateway asks it again", {
        server: this.name,
        error,
      });
    }
  }

  /** A server whose prompts cannot be read is used without them. */
  async #listPrompts(server: RunningServer): Promise<readonly unknown[]> {
    try {
      return await server.listPrompts();
    } catch (error) {
      this.#options.logger.warn("The prompts of an MCP server could not be read", { server: this.name, error });
      return [];
    }
  }

  /** False if it is the same list. */
  #useList(list: Pick<StoredList, "tools" | "prompts" | "hasResources">): boolean {
    const { tools, leftOut } = parseList(list, this.#settings);
    const { prompts, leftOut: badPrompts } = parsePrompts(list.prompts);
    const listed = JSON.stringify([tools, leftOut, prompts]);
    if (this.#isListed && listed === this.#listed) return false;
    this.#reportLeftOut(leftOut);
    const names = toolNames(
      this.name,
      tools.map(({ name }) => name),
    );
    const { trusted } = this.#settings;
    const owner = { server: this.name, trusted, call: this.call.bind(this) };
    const made = tools.map((tool, index) => createMcpTool(tool, names[index] ?? "", owner));
    if (badPrompts > 0) this.#options.logger.warn("Prompts of an MCP server are off", { server: this.name, count: badPrompts });
    this.#prompts = this.#makePrompts(prompts);
    const { decorate = (all) => all } = this.#options;
    [this.#listed, this.#isListed, this.#tools] = [listed, true, decorate(made)];
    return true;
  }

  /** Logs each tool once, and at most `MAX_REPORTED` of them: a list may change every second. */
  #reportLeftOut(leftOut: ToolList["leftOut"]): void {
    for (const { name, reason } of leftOut) {
      if (this.#reported.has(name) || this.#reported.size >= MAX_REPORTED) continue;
      this.#reported.add(name);
      this.#options.logger.warn("A tool of an MCP server is off", { server: this.name, tool: name, reason });
    }
  }

  #makePrompts(prompts: readonly ListedPrompt[]): readonly SourcePrompt[] {
    const names = promptNames(
      this.name,
      prompts.map(({ name }) => name),
    );
    const owner = { trusted: this.#settings.trusted, get: this.getPrompt.bind(this), hideSecrets: this.#options.hideSecrets };
    return prompts.map((prompt, index) => createMcpPrompt(prompt, names[index] ?? "", owner));
  }

  #settle(): void {
    this.#isSlow = false;
    this.#failures = 0;
    this.#notBeforeMs = 0;
    this.#problem = undefined;
    this.#wantsLogin = false;
  }

  #recordFailure(error: unknown): void {
    const { clock, logger, hideSecrets } = this.#options;
    const why = describe(error);
    if (error instanceof NeedsLoginError) {
      // Nothing but the owner helps, and then at once.
      const isNew = this.#problem !== why;
      this.#settle();
      [this.#problem, this.#wantsLogin] = [why, true];
      if (isNew) logger.warn("An MCP server wants a login", { server: this.name, reason: why });
      return;
    }
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#isSlow = false;
    this.#notBeforeMs = clock.monotonic() + pauseMs;
    this.#problem = hideSecrets(why).replace(/\.$/, "");
    logger.warn("An MCP server cannot be used", { server: this.name, reason: this.#problem, retryInMs: pauseMs });
  }
}

/** The tools of a list, with ours for its resources. */
export function parseList({ tools, hasResources }: Pick<StoredList, "tools" | "hasResources">, { toolFilter }: ServerSettings): ToolList {
  return parseTools(tools, toolFilter, hasResources ? RESOURCE_TOOLS : []);
}

/** One process or connection for each agent, and for each sandbox of it. */
function keyOf({ agentId, workspace, sandbox }: McpPlace, settings: ServerSettings): string {
  if (!isLocal(settings)) return agentId;
  const inherited = settings.sandbox.mode === "inherit" ? commandSandbox({ sandbox }) : undefined;
  return JSON.stringify([agentId, workspace, inherited ?? "host"]);
}
