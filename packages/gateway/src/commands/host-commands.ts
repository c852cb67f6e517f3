import type { HostCommand, HostCommands } from "@factotum/channel-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Command } from "./define-command.ts";
import type { PromptCommands } from "./prompt-commands.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { RESETS } from "./reset.ts";

/** Changes of files within this time are one change of the menus. */
const DEBOUNCE_MS = 250;
const LOOKUP_MS = 5000;

/** The dependencies of the menus. */
export interface CommandMenuOptions {
  readonly commands: readonly Command[];
  readonly promptCommands: PromptCommands;
  readonly running: RunningConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The slash commands for the menus of channels: those that anyone may use, first the built-in ones, then the skills and the own commands of the default agent.
 * Before the first `refresh` only the built-in ones.
 */
export class CommandMenu implements HostCommands {
  readonly #options: CommandMenuOptions;
  readonly #builtIn: readonly HostCommand[];
  readonly #callbacks = new Set<() => void>();
  #own: readonly HostCommand[] = [];
  #pending: Disposable | undefined;

  constructor(options: CommandMenuOptions) {
    this.#options = options;
    const given = [...RESETS, ...options.commands.filter(({ access }) => access === "anyone")];
    this.#builtIn = given.map(({ name, summary }) => ({ name: name.slice(1), summary }));
  }

  list(): readonly HostCommand[] {
    return [...this.#builtIn, ...this.#own];
  }

  onChange(callback: () => void): Disposable {
    this.#callbacks.add(callback);
    return { [Symbol.dispose]: () => void this.#callbacks.delete(callback) };
  }

  /** A file that commands depend on may have changed. */
  refreshSoon(): void {
    this.#pending ??= this.#options.clock.schedule(DEBOUNCE_MS, () => {
      this.#pending = undefined;
      void this.refresh();
    });
  }

  /** Looks skills and own commands up, and calls back if they differ. Never rejects. */
  async refresh(): Promise<void> {
    const { promptCommands, running, clock, logger } = this.#options;
    const signal = AbortSignal.timeout(LOOKUP_MS);
    try {
      const place = {
        agent: running.agents.default,
        group: undefined,
        owner: false,
        isShared: true,
        signal,
      };
      const found = await raceAbort(promptCommands.list(place), { signal, clock });
      const own = found.map(({ name, summary }) => ({ name, summary }));
      if (JSON.stringify(own) === JSON.stringify(this.#own)) return;
      this.#own = own;
    } catch (error) {
      logger.warn("The skills could not be listed for the menus of channels", { error });
      return;
    }
    for (const callback of this.#callbacks) callback();
  }

  /** Ends the waiting for changes. */
  close(): void {
    this.#pending?.[Symbol.dispose]();
  }
}
