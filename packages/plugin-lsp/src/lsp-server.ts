import { createHash } from "node:crypto";
import { commandSandbox, createServerRun, type AgentTool } from "@factotum/agent-contract";
import type { AbilityStore } from "./ability-store.ts";
import { describe } from "./describe-error.ts";
import { findProgram } from "./find-program.ts";
import { extensionOf, languagesByExtension } from "./languages.ts";
import type { Operation } from "./operations.ts";
import type { LspLimits, LspOptions, LspPlace } from "./ports.ts";
import { findFile, projectRoot } from "./project-files.ts";
import { RunningServer } from "./running-server.ts";
import type { LiveServer, ServerCap } from "./server-cap.ts";
import type { ServerProgram, ServerSettings } from "./server-settings.ts";
import type { Started } from "./started.ts";
import { createTools } from "./tools/create-tools.ts";

/** So that the names of its tools have 64 characters at most. */
const MAX_LANGUAGE_CHARS = 40;
const FIRST_START_MS = 15_000;
/** Pauses after failed starts. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;
/** A server that ends this soon has failed to start. */
const STEADY_MS = 10_000;

interface Kept extends LiveServer {
  readonly started: Promise<Started>;
  isReady: boolean;
  idle: Disposable | undefined;
  running: RunningServer | undefined;
}

/** What all servers of a gateway share. */
export interface ServerParts extends LspOptions {
  readonly store: AbilityStore;
  readonly cap: ServerCap;
  readonly limits: () => LspLimits;
}

/** One configured server: its tools, and its processes, one for each project of each place that uses it. */
export class LspServer {
  readonly name: string;
  /** Fingerprint of its settings; they hold no secrets but literal ones. */
  readonly fingerprint: string;
  /** Language ids by the ends of file names. */
  readonly languages: ReadonlyMap<string, string>;
  readonly #settings: ServerSettings;
  readonly #parts: ServerParts;
  readonly #running = new Map<string, Kept>();
  readonly #ends = new Set<Promise<void>>();
  readonly #leaving = new AbortController();
  #operations: readonly Operation[] | undefined;
  #tools: readonly AgentTool[] = [];
  #problem: string | undefined;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(name: string, settings: ServerSettings, parts: ServerParts) {
    [this.name, this.#settings, this.#parts] = [name, settings, parts];
    this.fingerprint = fingerprintOf(settings);
    this.languages = languagesByExtension(settings);
    const stored = parts.store.read(name, this.fingerprint);
    if (stored !== undefined) this.#useOperations(stored);
  }

  /** The language in the names of its tools. */
  get language(): string {
    return (this.#settings.languages[0] ?? this.name)
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]/g, "_")
      .slice(0, MAX_LANGUAGE_CHARS);
  }

  /** Replaced when its operations change. */
  get tools(): readonly AgentTool[] {
    return this.#tools;
  }

  /** Why it cannot be used, for the owner; `undefined` while nothing is wrong. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether it is the server of this file. */
  serves(path: string): boolean {
    return this.languages.has(extensionOf(path));
  }

  /** Learns what the server can do, if that is not known and the workspace has files of its languages. Never rejects. */
  async prepare(place: LspPlace, signal: AbortSignal): Promise<void> {
    if (this.#operations !== undefined || !this.isInstalled(place.workspace)) return;
    const file = await findFile(place.workspace, this.languages);
    if (file === undefined || signal.aborted) return;
    const { clock, firstStartMs = FIRST_START_MS } = this.#parts;
    const waited = Promise.withResolvers<void>();
    using _timer = clock.schedule(firstStartMs, waited.resolve);
    signal.addEventListener("abort", () => waited.resolve(), { once: true });
    await Promise.race([this.use(place, file), waited.promise]);
  }

  /** False for a server that is only looked for, and not found. */
  isInstalled(workspace: string): boolean {
    return this.#program(workspace) !== undefined;
  }

  /** The running one for a file, started if need be. Never rejects. */
  async use(place: LspPlace, path: string): Promise<Started> {
    const root = projectRoot(path, place.workspace, this.#settings.rootMarkers);
    const key = keyOf(place, root, this.#settings);
    const known = this.#running.get(key);
    if (known !== undefined) {
      const started = await known.started;
      if (started.type === "running" && !started.server.isOver) {
        this.#rest(key);
        return started;
      }
      if (this.#running.get(key) === known) this.#forget(key, known);
      else return this.use(place, path);
    }
    if (this.#leaving.signal.aborted) return { type: "down", message: "it was removed, or its settings have changed" };
    const waitMs = this.#notBeforeMs - this.#parts.clock.monotonic();
    if (waitMs > 0)
      return { type: "down", message: `${this.#problem ?? "it failed"}; it is tried again in ${Math.ceil(waitMs / 1_000)} s` };
    const started = Promise.withResolvers<Started>();
    const kept: Kept = {
      started: started.promise,
      isReady: false,
      idle: undefined,
      running: undefined,
      isBusy: () => !kept.isReady || kept.running?.isBusy === true,
      isStarting: () => !kept.isReady,
      end: async () => this.#end(key, kept),
    };
    this.#running.set(key, kept);
    started.resolve(this.#start(key, kept, { place, root }));
    this.#rest(key);
    return started.promise;
  }

  /** Stops all of it for good. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    this.#leaving.abort();
    for (const [key, kept] of this.#running) void this.#end(key, kept);
    await Promise.all(this.#ends);
  }

  #program(workspace: string): ServerProgram | undefined {
    const { programs, isDetected } = this.#settings;
    if (!isDetected) return programs[0];
    return findProgram(programs, {
      searchPath: this.#parts.searchPath,
      workspace,
      workspacePrograms: this.#parts.limits().workspacePrograms,
    });
  }

  async #start(key: string, kept: Kept, at: { readonly place: LspPlace; readonly root: string }): Promise<Started> {
    const { clock, logger, cap } = this.#parts;
    try {
      await cap.take(kept);
    } catch (error) {
      this.#forget(key, kept);
      return { type: "down", message: describe(error) };
    }
    const startedMs = clock.monotonic();
    try {
      const server = await this.#launch(at, () => void this.#learn(kept.running));
      kept.running = server;
      kept.isReady = true;
      void server.ended.then((why) => this.#ended(key, kept, { why, afterMs: clock.monotonic() - startedMs }));
      [this.#failures, this.#notBeforeMs, this.#problem] = [0, 0, undefined];
      await this.#learn(server);
      cap.started();
      logger.info("A language server has started", { server: this.name, agentId: at.place.agentId });
      return { type: "running", server };
    } catch (error) {
      this.#forget(key, kept);
      if (this.#leaving.signal.aborted) return { type: "down", message: "it was stopped" };
      this.#recordFailure(describe(error));
      return { type: "down", message: this.#problem ?? "it failed" };
    }
  }

  async #launch({ place, root }: { readonly place: LspPlace; readonly root: string }, onOperations: () => void): Promise<RunningServer> {
    const program = this.#program(place.workspace);
    if (program === undefined) throw new Error("its program is not installed");
    const { initializationOptions, settings, sandbox } = this.#settings;
    const { runner, clock, version } = this.#parts;
    return RunningServer.start({
      // With a sandbox of its own the owner has chosen its access; one that it inherits lasts longer than the turn that starts it.
      process: { ...program, cwd: root, env: await this.#environment(), tainted: sandbox.mode !== "on" },
      run: createServerRun("lsp", sandbox, place),
      root,
      initializationOptions,
      settings,
      version,
      runner,
      clock,
      onOperations,
      signal: this.#leaving.signal,
    });
  }

  async #environment(): Promise<Readonly<Record<string, string>>> {
    const entries = await Promise.all(
      Object.entries(this.#settings.env).map(async ([name, reference]) => {
        try {
          return [name, await this.#parts.readSecret(reference)] as const;
        } catch (error) {
          throw new Error(`env.${name} has no value: ${describe(error)}`, { cause: error });
        }
      }),
    );
    return Object.fromEntries(entries);
  }

  #ended(key: string, kept: Kept, { why, afterMs }: { readonly why: string; readonly afterMs: number }): void {
    this.#forget(key, kept);
    if (kept.running?.isStopped === true || this.#leaving.signal.aborted) return;
    if (afterMs < STEADY_MS) this.#recordFailure(why);
    else this.#parts.logger.warn("A language server has ended; its next use starts it again", { server: this.name, reason: why });
  }

  #forget(key: string, kept: Kept): void {
    if (this.#running.get(key) === kept) this.#running.delete(key);
    kept.idle?.[Symbol.dispose]();
    this.#parts.cap.release(kept);
  }

  /** Stops it when nothing has used it for a while. */
  #rest(key: string): void {
    const kept = this.#running.get(key);
    if (kept === undefined) return;
    const { clock, cap, limits } = this.#parts;
    cap.used(kept);
    kept.idle?.[Symbol.dispose]();
    kept.idle = clock.schedule(limits().idleMs, () => {
      if (kept.isBusy()) this.#rest(key);
      else void this.#end(key, kept);
    });
  }

  async #end(key: string, kept: Kept): Promise<void> {
    this.#forget(key, kept);
    const ending = kept.started.then(async (started) => (started.type === "running" ? started.server.stop() : undefined));
    this.#ends.add(ending);
    try {
      await ending;
    } finally {
      this.#ends.delete(ending);
    }
  }

  async #learn(server: RunningServer | undefined): Promise<void> {
    if (server === undefined) return;
    const { operations } = server;
    if (this.#operations?.join() === operations.join()) return;
    this.#useOperations(operations);
    try {
      await this.#parts.store.write(this.name, this.fingerprint, operations);
    } catch (error) {
      this.#parts.logger.warn("What a language server can do could not be remembered; a start of the gateway asks it again", {
        server: this.name,
        error,
      });
    }
  }

  #useOperations(operations: readonly Operation[]): void {
    const { decorate = (all) => all, files } = this.#parts;
    const { name, language, languages } = this;
    const server = { name, language, languages, use: this.use.bind(this) };
    [this.#operations, this.#tools] = [operations, decorate(createTools(operations, { server, files }))];
  }

  #recordFailure(why: string): void {
    const { clock, logger, hideSecrets } = this.#parts;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBeforeMs = clock.monotonic() + pauseMs;
    this.#problem = hideSecrets(why).replace(/\.$/, "");
    logger.warn("A language server cannot be used", { server: this.name, reason: this.#problem, retryInMs: pauseMs });
  }
}

/** One process for each agent, each sandbox of it, and each project. */
function keyOf({ agentId, workspace, sandbox }: LspPlace, root: string, settings: ServerSettings): string {
  const inherited = settings.sandbox.mode === "inherit" ? commandSandbox({ sandbox }) : undefined;
  return JSON.stringify([agentId, workspace, inherited ?? "host", root]);
}

/** Tells settings apart; they hold references to secrets, and literal ones only as their hash. */
export function fingerprintOf(settings: ServerSettings): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 32);
}
