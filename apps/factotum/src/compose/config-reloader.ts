import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import {
  describeCommandPolicy,
  diffDocuments,
  formatProblem,
  hashOf,
  isFatal,
  locateConfig,
  parseKeyPath,
  RESTART_KEYS,
  valueAt,
  type ConfigProblem,
  type LoadedConfig,
  type RefusedConfig,
} from "@factotum/config";
import type { ConfigControl } from "@factotum/gateway";
import type { HostRunner } from "@factotum/sandbox";
import type { CliContext } from "../runtime/cli-context.ts";
import { describeCommandLimits } from "./describe-command-limits.ts";

type Report = ReturnType<ConfigControl["report"]>;
type Result = Awaited<ReturnType<ConfigControl["reload"]>>;

/** Options of the reloader. */
export interface ConfigReloaderOptions {
  readonly context: Pick<CliContext, "env" | "paths">;
  /** The configuration that the gateway has started with. */
  readonly started: LoadedConfig;
  readonly load: () => Promise<LoadedConfig | RefusedConfig>;
  /** Applies it, all or nothing; if it rejects, nothing has changed. Resolves with findings in addition to the problems of the file. */
  readonly apply: (loaded: LoadedConfig, options: { readonly force: boolean }) => Promise<readonly ConfigProblem[]>;
  /** Stores it as the last good copy. */
  readonly remember: (loaded: LoadedConfig) => Promise<void>;
  /** Who enforces the limits of running commands. */
  readonly limitsKeptBy: HostRunner["limitsKeptBy"];
  readonly logger: Logger;
}

/**
 * Checks the configuration file after a change. A good one is applied; with a bad or missing one the previous one stays, and the log and the status say why,
 * the log once for every state of the file.
 */
export class ConfigReloader implements ConfigControl {
  readonly #options: ConfigReloaderOptions;
  #running: LoadedConfig;
  /** The last observed state of the file. */
  #seen: Pick<Report, "fileHash" | "problems">;
  /** The last report about an unusable file. */
  #told = "";
  #work: Promise<Result>;
  readonly #listeners = new Set<(result: Result) => void>();

  constructor(options: ConfigReloaderOptions) {
    const { started } = options;
    this.#options = options;
    this.#running = started;
    this.#seen = seenOf(started);
    this.#work = Promise.resolve(this.#result("unchanged"));
  }

  report(): Report {
    const { path, runningHash, inactive, config } = this.#running;
    const commandPolicy = [...describeCommandPolicy(config), ...describeCommandLimits(config, this.#options.limitsKeptBy)];
    return { path, runningHash, inactive, commandPolicy, needsRestart: this.#needsRestart(), ...this.#seen };
  }

  onChange(listener: (result: Result) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Serialises the checks of the file. Never rejects. */
  async reload({ force = false }: { readonly force?: boolean } = {}): Promise<Result> {
    this.#work = this.#work.then(async () => this.#look({ force }));
    return this.#work;
  }

  async #look({ force }: { readonly force: boolean }): Promise<Result> {
    const { load, apply, remember, logger } = this.#options;
    let { fileHash } = this.#seen;
    try {
      if (!force && (await this.#isAsItRuns())) return this.#settle(this.#running, "unchanged", []);
      const read = await load();
      ({ fileHash } = read);
      if (read.type === "refused" || read.source === "last-good") return this.#keep(read);
      // Before the first file nothing can be missing: files that the defaults refer to are read again.
      if (read.source === "defaults" && !(force && this.#running.source === "defaults")) return this.#keep(read);
      const changed = diffDocuments(this.#running.written, read.written).map(({ path }) => path);
      const loaded = { ...read, problems: [...read.problems, ...(await apply(read, { force }))] };
      this.#running = loaded;
      logger.info("The configuration has changed and is in use", { changed });
      for (const problem of loaded.problems) logger.warn(`Configuration: ${formatProblem(problem)}`);
      const needsRestart = this.#needsRestart();
      if (needsRestart.length > 0) logger.warn("Restart the gateway for these keys: factotum gateway restart", { keys: needsRestart });
      await remember(loaded);
      return this.#settle(loaded, "applied", changed);
    } catch (error) {
      const message = error instanceof Error ? error.message : "unknown failure";
      return this.#keepFor([`the configuration could not be applied: ${message}`], fileHash, error);
    }
  }

  /** Compared before anything is parsed: most file events change nothing. */
  async #isAsItRuns(): Promise<boolean> {
    const { env, paths } = this.#options.context;
    if (this.#running.source !== "file") return false;
    const { path, exists } = await locateConfig(paths, env);
    if (!exists || path !== this.#running.path) return false;
    try {
      return hashOf(await readFile(path, "utf8")) === this.#running.runningHash;
    } catch (error) {
      // The next read reports the problem.
      if (error instanceof Error) return false;
      throw error;
    }
  }

  #keep(loaded: LoadedConfig | RefusedConfig): Result {
    if (loaded.type === "loaded" && loaded.source === "defaults") {
      // Before the first file nothing can be missing. After it, without a copy, the previous configuration stays, not the defaults.
      if (this.#running.source === "defaults") return this.#settle(this.#running, "unchanged", []);
      return this.#keepFor([`${loaded.path} is not there any more`], undefined);
    }
    const reasons = loaded.problems.filter((problem) => isFatal(problem) || problem.type === "notice");
    return this.#keepFor(reasons.map(formatProblem), loaded.fileHash);
  }

  #keepFor(problems: readonly string[], fileHash: string | undefined, error?: unknown): Result {
    const { path } = this.#running;
    this.#seen = { problems, ...withoutUndefined({ fileHash }) };
    const state = JSON.stringify([fileHash, problems]);
    if (state !== this.#told) {
      this.#told = state;
      const reason = withoutUndefined({ error });
      this.#options.logger.error("The configuration cannot be used: what ran before goes on", { path, problems, ...reason });
      this.#tell(this.#result("kept"));
    }
    return this.#result("kept");
  }

  #settle(loaded: LoadedConfig, type: "applied" | "unchanged", changed: readonly string[]): Result {
    const isRepaired = this.#told !== "";
    if (isRepaired && type === "unchanged") this.#options.logger.info("The configuration file is again what runs");
    this.#told = "";
    this.#seen = seenOf(loaded);
    const result = this.#result(type, changed);
    if (type === "applied" || isRepaired) this.#tell(result);
    return result;
  }

  #tell(result: Result): void {
    for (const listener of this.#listeners) listener(result);
  }

  #result(type: Result["type"], changed: readonly string[] = []): Result {
    return { type, changed, needsRestart: this.#needsRestart(), problems: this.#seen.problems };
  }

  /** The listening address is fixed at the start. */
  #needsRestart(): readonly string[] {
    const [then, now] = [this.#options.started.written, this.#running.written];
    const valueOf = (written: LoadedConfig["written"], key: string): unknown => valueAt(written, parseKeyPath(key));
    return RESTART_KEYS.filter((key) => !isDeepStrictEqual(valueOf(then, key), valueOf(now, key)));
  }
}

function seenOf({ fileHash, problems }: LoadedConfig): Pick<Report, "fileHash" | "problems"> {
  return { problems: problems.map(formatProblem), ...withoutUndefined({ fileHash }) };
}
