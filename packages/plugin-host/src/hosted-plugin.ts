import { realpath } from "node:fs/promises";
import type { FromPlugin, ToPlugin } from "./child/messages.ts";
import { LineBudget } from "./child/line-budget.ts";
import { cutFields, MAX_LINE_CHARS } from "./child/log-line.ts";
import { PLUGIN_LIMITS, type PluginApi, type PluginObject } from "@factotum/plugin";
import type { InstalledPlugin, PluginHostOptions } from "./installed-plugin.ts";
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

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** A plugin: started with the first call, stopped when it is idle, and left alone for a while after several failures. */
export class HostedPlugin {
  readonly plugin: InstalledPlugin;
  readonly #options: PluginHostOptions;
  readonly #places: PluginPlaces;
  readonly #budget: LineBudget;
  /** One for all of its processes: their changes of the state come one after the other. */
  readonly #ask: ReturnType<typeof createServices>;
  readonly #ends = new Set<Promise<unknown>>();
  #running: Promise<PluginConnection> | undefined;
  #waiting = 0;
  #idle: Disposable | undefined;
  #failures = 0;
  #faults = 0;
  #restsUntilMs = 0;
  #problem: string | undefined;
  #isClosed = false;

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
   * Calls a tool, a handler, a model, a memory or a command, and starts the plugin for it. Rejects with a `PluginError` within `timeoutMs` and the time of a start. `isOwnFailure`: whether an
   * error of the plugin's own code counts against it.
   */
  async call(request: PluginRequest, { isOwnFailure, ...options }: CallOptions & { readonly isOwnFailure: boolean }): Promise<unknown> {
    const { clock } = this.#options;
    if (this.#isClosed) throw new PluginError("ended", "it is switched off");
    if (clock.monotonic() < this.#restsUntilMs)
      throw new PluginError("resting", `it is left alone for a minute, because ${this.#problem ?? "it failed"}`);
    this.#waiting += 1;
    this.#idle?.[Symbol.dispose]();
    try {
      const connection = await this.#connect(options.signal);
      const faults = this.#faults;
      const value = await connection.call(request, options);
      if (faults !== this.#faults) return value;
      this.#failures = 0;
      this.#problem = undefined;
      return value;
    } catch (error) {
      const failure = PluginError.isInstance(error) ? error : new PluginError("failed", textOf(error), { cause: error });
      if (failure.code !== "aborted" && (failure.code !== "failed" || isOwnFailure)) this.#failed(failure.message);
      throw failure;
    } finally {
      this.#waiting -= 1;
      this.#idle = clock.schedule(this.#options.idleMs ?? IDLE_MS, () => this.stop("it was idle"));
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
    this.#isClosed = true;
    this.#idle?.[Symbol.dispose]();
    this.stop("the gateway ends, or the plugin was switched off");
    await Promise.all(this.#ends);
  }

  async #connect(signal: AbortSignal): Promise<PluginConnection> {
    const current = this.#running;
    if (current !== undefined) {
      const connection = await current;
      if (!connection.isOver) return connection;
      if (this.#running === current) this.#running = undefined;
    }
    this.#running ??= this.#start(signal);
    try {
      return await this.#running;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<PluginConnection> {
    const { plugin } = this;
    const { clock } = this.#options;
    const place = plugin.trusted ? undefined : await this.#places.take(this, signal);
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
    const ended = channel.ended.finally(() => {
      place?.[Symbol.dispose]();
      this.#ends.delete(ended);
    });
    this.#ends.add(ended);
    const setup: ToPlugin = { type: "setup", id: plugin.id, entry: plugin.entry, config: plugin.config, ...facts };
    this.#checkRegistered(connection, await connection.setUp(setup, PLUGIN_LIMITS.setupMs));
    return connection;
  }

  /** Starts its process, reads its secrets and resolves its workspaces. No code of the plugin has run then. */
  async #launch(): Promise<Pick<PluginApi, "secrets" | "workspaces"> & { readonly channel: PluginChannel }> {
    const { plugin } = this;
    const { clock, readSecret, isSandboxed, logger } = this.#options;
    const secrets: Record<string, string> = {};
    for (const name of plugin.secrets) {
      const value = await readSecret(name);
      if (value !== undefined) secrets[name] = value;
    }
    const workspaces = await existing(plugin.workspaces);
    if (plugin.trusted) return { secrets, workspaces, channel: startTrusted({ clock }) };
    const mayRun = plugin.mayRun && (await isSandboxed());
    if (plugin.mayRun && !mayRun) logger.warn("A plugin may run no programs here, because bubblewrap does not work", { plugin: plugin.id });
    return {
      secrets,
      workspaces,
      channel: await startIsolated(plugin, { ...this.#options, workspaces: Object.values(workspaces), mayRun }),
    };
  }

  /** What the manifest promises must be there, and nothing else: it was confirmed. */
  #checkRegistered(connection: PluginConnection, { tools, hooks, roles, commands }: Extract<FromPlugin, { type: "ready" }>): void {
    const { plugin } = this;
    // No tool and no hook is called like a role or a command.
    const declared = [
      ...[...plugin.tools, ...plugin.hooks].map(({ name }) => name as string),
      ...plugin.roles.map(its),
      ...plugin.commands.map(({ name }) => typed(name)),
    ];
    const registered = [...tools, ...hooks, ...roles.map(its), ...commands.map(typed)];
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

  #failed(message: string): void {
    const { clock, logger, hideSecrets } = this.#options;
    this.#failures += 1;
    this.#problem = hideSecrets(message);
    logger.warn("A plugin failed", { plugin: this.plugin.id, package: this.plugin.packageName, detail: this.#problem });
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

function its(role: string): string {
  return `its ${role}`;
}
