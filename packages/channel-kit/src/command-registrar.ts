import type { CallOptions, ChannelHealth, ChannelHost, HostCommand } from "@factotum/channel-contract";
import { addDetail } from "./add-detail.ts";
import { backoffDelay } from "./backoff-delay.ts";
import { reasonOf } from "./reason-of.ts";

/** A platform's command menu. */
export interface CommandMenu {
  readonly maxCommands: number;
  /** Matches the names that the platform takes. Commands with other names are left out. */
  readonly name: RegExp;
  /** Characters (UTF-16 units) of a summary; longer ones are cut. */
  readonly summaryLength: number;
  /** The menu as the platform has it. */
  readonly read: (options: CallOptions) => Promise<readonly HostCommand[]>;
  /** Replaces the menu. */
  readonly write: (commands: readonly HostCommand[], options: CallOptions) => Promise<void>;
}

/** Keeps a menu equal to the gateway's commands. */
export interface CommandRegistrar {
  /** Begins, and returns at once: a menu that cannot be registered stops no account. Idempotent. */
  start(): void;
  /** The health with what failed: then at least `degraded`. */
  addTo(health: ChannelHealth): ChannelHealth;
  /** Ends a running request, and registers nothing more. Idempotent. */
  stop(): void;
}

/** Creates a registrar: it registers on start and when the commands change, one request at a time, and only if the menu differs; after a failure again with backoff. */
export function createCommandRegistrar(
  host: Pick<ChannelHost, "clock" | "commands" | "logger" | "random">,
  menu: CommandMenu,
): CommandRegistrar {
  return new Registrar(host, menu);
}

class Registrar implements CommandRegistrar {
  readonly #host: Pick<ChannelHost, "clock" | "commands" | "logger" | "random">;
  readonly #menu: CommandMenu;
  readonly #stopped = new AbortController();
  #changes: Disposable | undefined;
  #retry: Disposable | undefined;
  #problem: string | undefined;
  #attempt = 0;
  #isBusy = false;
  #isStale = false;

  constructor(host: Pick<ChannelHost, "clock" | "commands" | "logger" | "random">, menu: CommandMenu) {
    this.#host = host;
    this.#menu = menu;
  }

  start(): void {
    if (this.#changes !== undefined || this.#stopped.signal.aborted) return;
    this.#changes = this.#host.commands.onChange(() => this.#update());
    this.#update();
  }

  addTo(health: ChannelHealth): ChannelHealth {
    if (this.#problem === undefined) return health;
    return addDetail({ ...health, state: health.state === "connected" ? "degraded" : health.state }, this.#problem);
  }

  stop(): void {
    this.#stopped.abort(new Error("the channel was stopped"));
    this.#changes?.[Symbol.dispose]();
    this.#retry?.[Symbol.dispose]();
  }

  #update(): void {
    this.#retry?.[Symbol.dispose]();
    this.#isStale = true;
    if (!this.#isBusy) void this.#register();
  }

  async #register(): Promise<void> {
    const { logger } = this.#host;
    const { signal } = this.#stopped;
    this.#isBusy = true;
    try {
      while (this.#isStale && !signal.aborted) {
        const shown = await this.#menu.read({ signal });
        signal.throwIfAborted();
        this.#isStale = false;
        const wanted = this.#fitting();
        if (!isSame(shown, wanted)) {
          await this.#menu.write(wanted, { signal });
          logger.info("command menu registered", { commands: wanted.length });
        }
        this.#problem = undefined;
        this.#attempt = 0;
      }
    } catch (error) {
      if (!signal.aborted) this.#retryLater(error);
    }
    this.#isBusy = false;
  }

  #retryLater(error: unknown): void {
    const { clock, logger, random } = this.#host;
    const reason = reasonOf(error);
    const delayMs = 1_000 + backoffDelay(this.#attempt, { random });
    this.#attempt += 1;
    this.#problem = `the command menu could not be registered: ${reason}`;
    logger.warn("command menu not registered", { delayMs, error: reason });
    this.#retry = clock.schedule(delayMs, () => this.#update());
  }

  /** The commands as far as the menu takes them. */
  #fitting(): readonly HostCommand[] {
    const { maxCommands, name: pattern, summaryLength } = this.#menu;
    const commands = this.#host.commands.list();
    const fitting = commands.filter(({ name }) => pattern.test(name)).slice(0, maxCommands);
    if (fitting.length < commands.length)
      this.#host.logger.debug("commands left out of the menu", { count: commands.length - fitting.length });
    return fitting.map(({ name, summary }) => ({ name, summary: shortened(summary, summaryLength) }));
  }
}

function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Half a surrogate pair would be refused.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function isSame(left: readonly HostCommand[], right: readonly HostCommand[]): boolean {
  return left.length === right.length && left.every(({ name, summary }, at) => name === right[at]?.name && summary === right[at].summary);
}
