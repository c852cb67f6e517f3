import type { BackgroundCommand, CommandResult, OutputPart, RunSandbox } from "@factotum/agent-contract";
import type { CommandRecord } from "@factotum/store";

/** A command of a session, with what its model was given of it. */
export class KeptCommand implements BackgroundCommand {
  readonly id: string;
  readonly text: string;
  readonly hasTerminal: boolean;
  readonly startedMs: number;
  readonly running: BackgroundCommand["running"];
  readonly tainted: boolean;
  readonly sandbox?: RunSandbox;
  readonly record: CommandRecord;
  /** The conversation that started it. */
  readonly sessionId: string;
  result?: CommandResult;
  /** The model was told how it has ended. */
  isTold = false;
  #takenTo = 0;

  constructor(
    command: Pick<BackgroundCommand, "id" | "text" | "hasTerminal" | "startedMs" | "running" | "sandbox" | "tainted">,
    { record, sessionId }: { readonly record: CommandRecord; readonly sessionId: string },
  ) {
    this.id = command.id;
    this.text = command.text;
    this.hasTerminal = command.hasTerminal;
    this.running = command.running;
    this.startedMs = command.startedMs;
    this.tainted = command.tainted;
    if (command.sandbox !== undefined) this.sandbox = command.sandbox;
    this.record = record;
    this.sessionId = sessionId;
  }

  get takenTo(): number {
    return this.#takenTo;
  }

  takeOutput(maxBytes: number): OutputPart {
    const { output } = this.running;
    const part = output.read(Math.max(this.#takenTo, output.length - maxBytes), maxBytes);
    this.#takenTo = part.next;
    return part;
  }
}
