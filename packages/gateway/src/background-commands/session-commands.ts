import { withoutUndefined } from "@factotum/agent-contract";
import type {
  BackgroundCommand,
  BackgroundCommands,
  Clock,
  CommandResult,
  Logger,
  Random,
  RunFacts,
  RunKind,
  ToolCaller,
} from "@factotum/agent-contract";
import { backoffDelay } from "@factotum/channel-kit";
import type { MsgContext } from "@factotum/channel-contract";
import type { CommandRecord, CommandStore, InboxStore, InputAdmission, InputRecord, TurnStore } from "@factotum/store";
import { wait } from "../delivery/wait.ts";
import type { ToolLimits } from "../queue/tool-limits.ts";
import { describeEnd, describeLost } from "./command-report.ts";
import { KeptCommand } from "./kept-command.ts";
import { turnReport } from "./turn-report.ts";

/** Commands that have ended and can still be read, over all sessions. */
const MAX_ENDED = 16;

/** Hexadecimal digits of an id: few for a model to repeat, enough to be unique among the commands of a gateway. */
const ID_CHARS = 8;

/** What the commands of sessions need of the gateway. */
export interface SessionCommandsParts {
  readonly store: CommandStore & Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">;
  readonly toolLimits: Pick<ToolLimits, "keep">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Takes the report of a command that has ended. Resolves once it is committed. */
export interface ReportIntake {
  submit(message: MsgContext, admission: InputAdmission): Promise<unknown>;
}

/**
 * The background commands of all sessions. A row says which run, so that a session is told of each end exactly once: by an input of its own, which the store
 * accepts once, under the authority and the taint of the turn that started the command, and answered where that turn was answered (R1, R4, R23).
 */
export class SessionCommands implements BackgroundCommands {
  #parts: SessionCommandsParts | undefined;
  #intake: ReportIntake | undefined;
  #kept: readonly KeptCommand[] = [];
  #reporting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** Connects the parts, once. Tools exist before them. */
  connect(parts: SessionCommandsParts): void {
    this.#parts = parts;
  }

  /** Sets the intake of reports, once. */
  reportTo(intake: ReportIntake): void {
    this.#intake = intake;
  }

  async keep(
    command: Pick<BackgroundCommand, "text" | "hasTerminal" | "running">,
    { run, tainted }: ToolCaller,
  ): Promise<BackgroundCommand> {
    const { store, toolLimits, clock, random } = this.#connected;
    if (this.#closing.signal.aborted) throw new Error("the gateway is stopping");
    const uuid = random.uuid();
    const record: CommandRecord = {
      id: uuid,
      sessionKey: run.sessionKey,
      text: command.text,
      startedAtMs: clock.now(),
      report: await turnReport(`command:${uuid}`, { run, tainted: tainted || printsTextOfOthers(run) }, this.#connected),
    };
    const facts = { startedMs: clock.monotonic(), tainted, ...withoutUndefined({ sandbox: run.sandbox }) };
    const kept = new KeptCommand({ ...command, ...facts, id: shortId(record) }, { record, sessionId: run.sessionId });
    const place = toolLimits.keep(run.sessionKey, kept);
    try {
      await store.addCommand(record);
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
    this.#kept = [...this.#kept, kept];
    void command.running.ended.then((result) => {
      place[Symbol.dispose]();
      this.#onEnd(kept, result);
    });
    return kept;
  }

  list(run: Pick<RunFacts, "sessionKey" | "sessionId">): readonly BackgroundCommand[] {
    return this.#of(run.sessionKey).filter(({ sessionId }) => sessionId === run.sessionId);
  }

  told(id: string, { sessionKey }: Pick<RunFacts, "sessionKey">): void {
    const kept = this.#of(sessionKey).find((one) => one.id === id);
    if (kept !== undefined) kept.isTold = true;
  }

  /** True for the report of an end that the model was told of meanwhile: it needs no turn. */
  isKnown({ message }: Pick<InputRecord, "message">): boolean {
    return this.#kept.some(({ record, isTold }) => isTold && record.report.message.eventId === message.eventId);
  }

  /** Ends the running commands of a session, whose ends are not reported then; returns how many. Does not wait for their processes. */
  endSession(sessionKey: string): number {
    const running = this.#of(sessionKey).filter(({ result }) => result === undefined);
    for (const { running: command } of running) command.kill();
    return running.length;
  }

  /** True while a command of the session runs whose end is to be reported to a run of this kind. */
  hasRunning(sessionKey: string, kind: RunKind): boolean {
    return this.#of(sessionKey).some(({ result, record }) => result === undefined && record.report.admission.kind === kind);
  }

  /** Number of running commands, over all sessions. */
  get active(): number {
    return this.#kept.filter(({ result }) => result === undefined).length;
  }

  /** Tells the sessions of commands that an earlier gateway left running. */
  async recover(): Promise<void> {
    const { store, clock } = this.#connected;
    for (const record of await store.listCommands()) {
      const text = describeLost({ id: shortId(record), text: record.text });
      await this.#submit(record, { text, timestampMs: clock.now() });
    }
  }

  /** From now on nothing is reported: what still runs ends with the gateway, and the next start tells its sessions. Resolves when no report is being stored. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#reporting);
  }

  get #connected(): SessionCommandsParts {
    if (this.#parts === undefined) throw new Error("the commands of sessions are not connected yet");
    return this.#parts;
  }

  #of(sessionKey: string): readonly KeptCommand[] {
    return this.#kept.filter(({ record }) => record.sessionKey === sessionKey);
  }

  #onEnd(kept: KeptCommand, result: CommandResult): void {
    kept.result = result;
    const ended = this.#kept.filter((one) => one.result !== undefined);
    const dropped = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)));
    if (dropped.size > 0) this.#kept = this.#kept.filter((one) => !dropped.has(one));
    if (this.#closing.signal.aborted) return;
    const reporting = this.#settle(kept, result).finally(() => this.#reporting.delete(reporting));
    this.#reporting.add(reporting);
  }

  /** Reports an end, or forgets one that somebody asked for. Tries until it is stored: the disk may be full. */
  async #settle(kept: KeptCommand, result: CommandResult): Promise<void> {
    const { store, clock, random, logger } = this.#connected;
    const { record } = kept;
    for (let failures = 0; !this.#closing.signal.aborted; failures += 1) {
      try {
        if (result.end.type === "aborted") return await store.removeCommand(record.id);
        const text = describeEnd(kept, result, kept.running.output);
        return await this.#submit(record, { text, timestampMs: clock.now() });
      } catch (error) {
        if (failures === 0) logger.error("The end of a background command could not be stored yet", { commandId: kept.id, error });
        const delayMs = backoffDelay(failures, { baseMs: 250, maxMs: 60_000, random });
        await wait(delayMs, { clock, signal: this.#closing.signal });
      }
    }
  }

  async #submit({ id, report: { message, admission } }: CommandRecord, said: Pick<MsgContext, "text" | "timestampMs">): Promise<void> {
    const { store } = this.#connected;
    if (this.#intake === undefined) throw new Error("nobody takes the reports of commands yet");
    // The store accepts it once, so a crash before the removal repeats nothing.
    await this.#intake.submit({ ...message, ...said }, admission);
    await store.removeCommand(id);
  }
}

function shortId({ id }: CommandRecord): string {
  return id.slice(0, ID_CHARS);
}

/** Files of a shared sandbox may be those of other people, and so may what comes from the network. The report of a command shows its output. */
function printsTextOfOthers({ sandbox }: RunFacts): boolean {
  return sandbox?.shared === true || sandbox?.network !== undefined;
}
