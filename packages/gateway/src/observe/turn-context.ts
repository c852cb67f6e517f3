import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "@factotum/agent-contract";

/** Ids that identify the log lines of one message: its input, and its turn. */
export interface TurnIds {
  readonly inputIds: readonly string[];
  /** Absent until the turn has started. */
  readonly turnId?: string;
}

/** Tracks the current turn across async calls, so that log lines name it. */
export class TurnContext {
  readonly #storage = new AsyncLocalStorage<TurnIds | undefined>();

  /** Id of the current turn. */
  get turnId(): string | undefined {
    return this.#storage.getStore()?.turnId;
  }

  /** Runs work in the context of a turn; `undefined`: without one. */
  run<Result>(ids: TurnIds | undefined, work: () => Result): Result {
    return this.#storage.run(ids, work);
  }

  /** A logger whose lines name the current turn, unless their own fields do. */
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
