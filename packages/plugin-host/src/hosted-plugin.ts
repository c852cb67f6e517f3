import { realpath } from "node:fs/promises";
import type { FromPlugin, ToPlugin } from "./child/messages.ts";
import { LineBudget } from "./child/line-budget.ts";
import { cutFields, MAX_LINE_CHARS } from "./child/log-line.ts";
import { PLUGIN_LIMITS, type PluginApi, type PluginObject } from "@factotum/plugin";
import type { DeclaredRoute, InstalledPlugin, PluginHostOptions } from "./installed-plugin.ts";
import { startIsolated } from "./isolated-channel.ts";
import type { PluginChannel } from "./plugin-channel.ts";
import { PluginConnection, type CallOptions, type PluginRequest } from "./plugin-connection.ts";
import { PluginError } from "./plugin-error.ts";
import type { PluginPlaces } from "./plugin-places.ts";
import { createServices } from "./plugin-services.ts";
import { startTrusted } from "./trusted-channel.ts";

const IDLE_MS = 2 * 60_000;
/** Failures in a row after which a plugin rests, and for how long. */
const MAX_FAILURES = 3;
const REST_MS = 60_000;
/** How long a start waits for a place that another plugin has. */
const PLACE_MS = 10_000;
const SWITCHED_OFF = "the gateway ends, or the plugin was changed or switched off";

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** A plugin: started with the first call, stopped when it is idle, and left alone for a while after several failures. */
export class HostedPlugin {
  readonly plugin: InstalledPlugin;
  readonly #options: PluginHostOptions;
  readonly #places: PluginPlaces;
  readonly #budget: LineBudget;
  /** One for all of its processes: their changes of the state come one after the other. */
  readonly #ask: ReturnType<typeof createServices>;
  /** Starts and processes that are not over. */
  readonly #ends = new Set<Promise<unknown>>();
  readonly #leaving = new AbortController();
  #running: Promise<PluginConnection> | undefined;
  /** Fires when no call waits for the start any longer that waits for a place. */
  #unwanted: AbortController | undefined;
  #waiting = 0;
  #idle: Disposable | undefined;
  #failures = 0;
  #faults = 0;
  #restsUntilMs = 0;
  #problem: string | undefined;

  constructor(plugin: InstalledPlugin, options: PluginHostOptions, places: PluginPlaces) {
    this.plugin = plugin;
    this.#options = options;
    this.#places = places;
    this.#ask = createServices(plugin, options);
    // The plugin's own side keeps the limit and reports what it leaves out: this is for one that goes around it.
    this.#budget = new LineBudget(2 * PLUGIN_LIMITS.logLines, () => options.clock.monotonic());
  }

  /** Why its newest call failed; `undefined` if it did not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Calls a tool, a handler, a model, a memory, a command or a route, and starts the plugin for it. Rejects with a `PluginError` within `timeoutMs` and the time of a start, and at once when
   * the signal fires. `isOwnFailure`: whether an error of the plugin's own code counts against it.
   */
  async call(request: PluginRequest, { isOwnFailure, ...options }: CallOptions & { readonly isOwnFailure: boolean }): Promise<unknown> {
    const { clock } = this.#options;
    if (this.#leaving.signal.aborted) throw new PluginError("ended", SWITCHED_OFF);
    if (clock.monotonic() < this.#restsUntilMs)
      throw new PluginError("resting", `it is left alone for a minute, because ${this.#problem ?? "it failed"}`);
    this.#waiting += 1;
    this.#idle?.[Symbol.dispose]();
    try {
      const connection = await this.#connectFor(options.signal);
      const faults = this.#faults;
      const value = await connection.call(request, options);
      if (faults !== this.#faults) return value;
      this.#failures = 0;
      this.#problem = undefined;
      return value;
    } catch (error) {
      const failure = PluginError.isInstance(error) ? error : new PluginError("failed", textOf(error), { cause: error });
      if (this.#isItsFault(failure, isOwnFailure)) this.#failed(failure.message);
      throw failure;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest();
      this.#places.changed();
    }
  }

  /** Ends its process. The next call starts it again. */
  stop(why: string): void {
    const running = this.#running;
    this.#running = undefined;
    void running?.then(
      (connection) => connection.end(why),
      () => undefined,
    );
  }

  /** Ends it for good. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    this.#leaving.abort();
    this.#idle?.[Symbol.dispose]();
    this.stop(SWITCHED_OFF);
    // The end of a start may be that of a process.
    while (this.#ends.size > 0) await Promise.all(this.#ends);
  }

  /** It has no call: one comes soon, or its process is not needed. */
  #rest(): void {
    if (this.#unwanted !== undefined) {
      this.#running = undefined;
      this.#unwanted.abort();
    }
    if (this.#leaving.signal.aborted) return;
    const { clock, idleMs = IDLE_MS } = this.#options;
    this.#idle = clock.schedule(this.plugin.idleMs ?? idleMs, () => this.stop("it was idle"));
  }

  #isItsFault({ code }: PluginError, isOwnFailure: boolean): boolean {
    if (this.#leaving.signal.aborted || code === "aborted" || code === "busy") return false;
    return code !== "failed" || isOwnFailure;
  }

  /** The connection for one call. Several may wait for the same start, and each leaves alone. */
  async #connectFor(signal: AbortSignal): Promise<PluginConnection> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(new PluginError("aborted", "the call was stopped"));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await Promise.race([aborted.promise, this.#connect()]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #connect(): Promise<PluginConnection> {
    const current = this.#running;
    if (current !== undefined) {
      const connection = await current;
      if (!connection.isOver) return connection;
      if (this.#running === current) this.#running = undefined;
    }
    const starting = (this.#running ??= this.#begin());
    try {
      return await starting;
    } catch (error) {
      if (this.#running === starting) this.#running = undefined;
      throw error;
    }
  }

  async #begin(): Promise<PluginConnection> {
    const starting = this.#start();
    const over = starting.then(
      () => undefined,
      () => undefined,
    );
    this.#ends.add(over);
    void over.then(() => this.#ends.delete(over));
    return starting;
  }

  /** A place for its process; a trusted plugin needs none. */
  async #place(): Promise<Disposable | undefined> {
    if (this.plugin.trusted) return undefined;
    const unwanted = new AbortController();
    this.#unwanted = unwanted;
    using _timer = this.#options.clock.schedule(PLACE_MS, () => unwanted.abort());
    try {
      return await this.#places.take(this, AbortSignal.any([unwanted.signal, this.#leaving.signal]));
    } finally {
      if (this.#unwanted === unwanted) this.#unwanted = undefined;
    }
  }

  async #start(): Promise<PluginConnection> {
    const { plugin } = this;
    const { clock } = this.#options;
    const place = await this.#place();
    const { channel, ...facts } = await this.#launch().catch((error: unknown) => {
      place?.[Symbol.dispose]();
      throw error;
    });
    const connection = new PluginConnection(channel, clock, {
      ask: this.#ask,
      log: (line) => this.#log(line),
      fault: (message) => {
        this.#faults += 1;
        this.#failed(message);
      },
    });
    const leave = (): void => connection.end(SWITCHED_OFF);
    const leaving = this.#leaving.signal;
    leaving.addEventListener("abort", leave, { once: true });
    const ended = channel.ended.finally(() => {
      leaving.removeEventListener("abort", leave);
      place?.[Symbol.dispose]();
      this.#ends.delete(ended);
    });
    this.#ends.add(ended);
    if (leaving.aborted) leave();
    const setup: ToPlugin = { type: "setup", id: plugin.id, entry: plugin.entry, config: plugin.config, ...facts };
    this.#checkRegistered(connection, await connection.setUp(setup, PLUGIN_LIMITS.setupMs));
    return connection;
  }

  /** Starts its process, reads its secrets and resolves its workspaces. No code of the plugin has run then. */
  async #launch(): Promise<Pick<PluginApi, "secrets" | "workspaces"> & { readonly channel: PluginChannel }> {
    const { plugin } = this;
    const { clock, readSecret, whyNoPrograms, logger } = this.#options;
    const secrets: Record<string, string> = {};
    for (const name of plugin.secrets) {
      const value = await readSecret(name);
      if (value !== undefined) secrets[name] = value;
    }
    const workspaces = await existing(plugin.workspaces);
    if (this.#leaving.signal.aborted) throw new PluginError("ended", SWITCHED_OFF);
    if (plugin.trusted) return { secrets, workspaces, channel: startTrusted({ clock }) };
    const reason = plugin.mayRun ? await whyNoPrograms() : undefined;
    if (reason !== undefined) logger.warn("A plugin may run no programs here", { plugin: plugin.id, reason });
    return {
      secrets,
      workspaces,
      channel: await startIsolated(plugin, {
        ...this.#options,
        workspaces: Object.values(workspaces),
        mayRun: plugin.mayRun && reason === undefined,
      }),
    };
  }

  /** What the manifest promises must be there, and nothing else: it was confirmed. */
  #checkRegistered(connection: PluginConnection, { tools, hooks, roles, commands, routes }: Extract<FromPlugin, { type: "ready" }>): void {
    const { plugin } = this;
    // No tool and no hook is called like a role, a command or a route.
    const declared = [
      ...[...plugin.tools, ...plugin.hooks].map(({ name }) => name as string),
      ...plugin.roles.map(its),
      ...plugin.commands.map(({ name }) => typed(name)),
      ...plugin.routes.map(nameOf),
    ];
    const registered = [...tools, ...hooks, ...roles.map(its), ...commands.map(typed), ...routes];
    const missing = declared.find((name) => !registered.includes(name));
    const extra = registered.find((name) => !declared.includes(name));
    if (missing === undefined && extra === undefined) return;
    const why =
      missing === undefined
        ? `it registers ${String(extra).slice(0, 80)}, which its manifest does not declare`
        : `it does not register ${missing}`;
    connection.end(why);
    throw new PluginError("not-started", why);
  }

  /** Shows its owner why a call failed, in the log and as its `problem`, without counting it. */
  report(message: string): void {
    this.#problem = this.#options.hideSecrets(message);
    // Strangers may be able to make a route fail, as often as they like.
    if (this.#budget.take()) this.#warn();
  }

  #warn(): void {
    this.#options.logger.warn("A plugin failed", { plugin: this.plugin.id, package: this.plugin.packageName, detail: this.#problem });
  }

  #failed(message: string): void {
    const { clock, hideSecrets } = this.#options;
    this.#failures += 1;
    this.#problem = hideSecrets(message);
    this.#warn();
    if (this.#failures < MAX_FAILURES) return;
    this.#restsUntilMs = clock.monotonic() + REST_MS;
    // One call after the rest decides whether it rests again.
    this.#failures = MAX_FAILURES - 1;
  }

  #log({ level, message, fields }: Extract<FromPlugin, { type: "log" }>): void {
    if (!this.#budget.take()) return;
    const { logger } = this.#options;
    const dropped = this.#budget.takeDropped();
    if (dropped > 0) logger.warn("Lines of a plugin were left out", { plugin: this.plugin.id, dropped });
    const at = LEVELS.find((known) => known === level) ?? "info";
    logger[at](message.slice(0, MAX_LINE_CHARS), { plugin: this.plugin.id, ...(isObject(fields) ? { fields: cutFields(fields) } : {}) });
  }
}

/** Their real paths, without those that are not there. */
async function existing(folders: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [agentId, folder] of Object.entries(folders)) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined) found[agentId] = real;
  }
  return found;
}

function isObject(value: unknown): value is PluginObject {
  return typeof value === "object" && value !== null;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "it failed") : "it failed";
}

function typed(command: string): string {
  return `/${command}`;
}

/** A route, as plugins register it. */
export function nameOf({ method, path }: DeclaredRoute): string {
  return `${method} ${path}`;
}

function its(role: string): string {
  return `its ${role}`;
}
