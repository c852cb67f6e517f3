import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "@factotum/agent-contract";

/** By what the log's lines of one message's way are found: its input, and the turn that works on it. */
export interface TurnIds {
  readonly inputIds: readonly string[];
  /** Absent until the turn is begun. */
  readonly turnId?: string;
}

/** Knows to which turn the work belongs that is being done, so that every line that is logged meanwhile names it. */
export class TurnContext {
  readonly #storage = new AsyncLocalStorage<TurnIds | undefined>();

  /** The turn that the work being done belongs to. */
  get turnId(): string | undefined {
    return this.#storage.getStore()?.turnId;
  }

  /** Does the work as that of a turn; `undefined`: as nobody's. */
  run<Result>(ids: TurnIds | undefined, work: () => Result): Result {
    return this.#storage.run(ids, work);
  }

  /** A logger whose lines name the turn, unless their own fields do. */
  logger(base: Logger): Logger {
    const named = (fields: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> | undefined => {
      const ids = this.#storage.getStore();
      return ids === undefined ? fields : { ...ids, ...fields };
    };
    return {
      debug: (message, fields) => base.debug(message, named(fields)),
      info: (message, fields) => base.info(message, named(fields)),
      warn: (message, fields) => base.warn(message, named(fields)),
      error: (message, fields) => base.error(message, named(fields)),
      child: (fields) => this.logger(base.child(fields)),
    };
  }
}
