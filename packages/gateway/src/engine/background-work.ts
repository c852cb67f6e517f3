import type { Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { InputRecord } from "@factotum/store";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import type { TurnContext } from "../observe/turn-context.ts";

/** Work that nobody awaits before shutdown; failures are logged here, once. */
export class BackgroundWork {
  readonly #logger: Logger;
  readonly #turnContext: TurnContext;
  readonly #running = new Set<Promise<void>>();

  constructor({ logger, turnContext }: { readonly logger: Logger; readonly turnContext: TurnContext }) {
    this.#logger = logger;
    this.#turnContext = turnContext;
  }

  /** `what` names the work in the log. */
  add(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => {
        // At shutdown unfinished work is durable, and done after the next start.
        if (error instanceof LaneShutdown || (StoreError.isInstance(error) && error.code === "closed")) return;
        this.#logger.error("Background work failed", { what, error });
      },
    );
    this.#running.add(done);
    void done.finally(() => this.#running.delete(done));
  }

  /** The same for work that answers an input without a turn; log lines name the input. */
  addFor(input: InputRecord, what: string, work: () => Promise<void>): void {
    this.#turnContext.run({ inputIds: [input.id] }, () => this.add(what, work()));
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when all current work has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
