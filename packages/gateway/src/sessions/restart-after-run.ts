import type { Clock, Logger, Restarter, RunFacts } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { InboxStore, InputAdmission, TurnStore } from "@factotum/store";
import { turnReport } from "../background-commands/turn-report.ts";
import type { SessionEvents } from "../events/session-events.ts";

/** The parts of a gateway that a restart needs. */
interface RestartParts {
  readonly events: SessionEvents;
  readonly store: InboxStore & TurnStore;
  readonly clock: Clock;
  /** Takes a report. Resolves once it is committed. */
  readonly submit: (message: MsgContext, admission: InputAdmission) => Promise<unknown>;
}

type RestartingRun = Pick<RunFacts, "runId" | "owner" | "sessionKey" | "agentId">;

/**
 * Requests the restart that a run asked for, once that run is over: its answer is stored by then, and what is not delivered yet is delivered by the next start.
 * Its conversation learns what became of the restart by an input of its own (R1), which is stored while the gateway stops.
 */
export class RestartAfterRun implements Restarter {
  readonly #asked = new Map<string, RestartingRun>();
  readonly #options: { readonly requestRestart: () => Promise<void>; readonly logger: Logger };
  #parts: RestartParts | undefined;

  constructor(options: { readonly requestRestart: () => Promise<void>; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Connects the parts, once. Tools exist before them. */
  connect(parts: RestartParts): void {
    this.#parts = parts;
  }

  restartAfter(run: RunFacts): void {
    const { events } = this.#connected;
    const { runId, sessionKey } = run;
    if (this.#asked.has(runId)) return;
    this.#asked.set(runId, run);
    const watch = events.onSessionsChange((key) => {
      if (key === sessionKey && isOver()) restart();
    });
    const isOver = (): boolean => events.live(sessionKey)?.runId !== runId;
    const restart = (): void => {
      watch[Symbol.dispose]();
      void this.#restart(run);
    };
    // A call that was allowed after its turn ended has no run to wait for.
    if (isOver()) restart();
  }

  /** Reports to the conversations that asked for it that the gateway has restarted: called when it stops, so that the next start passes it on. */
  async report(): Promise<void> {
    await Promise.all(
      [...this.#asked.values()].map(async (run) =>
        this.#report(run, "The gateway has restarted, as you asked: what needed a restart is in effect now. Go on with what it was for."),
      ),
    );
  }

  async #restart(run: RestartingRun): Promise<void> {
    const { logger } = this.#options;
    logger.info("A run requested a restart", { sessionKey: run.sessionKey, turnId: run.runId });
    try {
      await this.#options.requestRestart();
    } catch (error) {
      logger.error("The gateway could not be restarted", { sessionKey: run.sessionKey, error });
      this.#asked.delete(run.runId);
      const why = error instanceof Error ? error.message : String(error);
      await this.#report(run, `The gateway was not restarted, and runs on as before: ${why}`);
    }
  }

  async #report(run: RestartingRun, text: string): Promise<void> {
    const parts = this.#connected;
    try {
      const { message, admission } = await turnReport(`restart:${run.runId}`, { run, tainted: false }, parts);
      await parts.submit({ ...message, text, timestampMs: parts.clock.now() }, admission);
    } catch (error) {
      this.#options.logger.error("A conversation could not be told about the restart it asked for", { sessionKey: run.sessionKey, error });
    }
  }

  get #connected(): RestartParts {
    if (this.#parts === undefined) throw new Error("the parts of the gateway are not known yet");
    return this.#parts;
  }
}
